"""The page that `inspect --html` writes."""
