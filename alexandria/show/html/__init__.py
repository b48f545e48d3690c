"""The HTML page that `inspect --html` writes."""
