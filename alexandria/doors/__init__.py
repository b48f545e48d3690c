"""The ways in: the command line (`cli`), the browser (`web`) and language models (`mcp`)."""
