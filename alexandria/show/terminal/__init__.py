"""The terminal view. The only package that prints: data to stdout, progress and messages to stderr."""
