"""What a stored book gives its reader: its passages, pages, chapters and citations, without a query."""
