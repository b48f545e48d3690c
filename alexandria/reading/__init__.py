"""A file becomes a `Book` without being trusted: in a process of its own, within limits, and only once."""
