"""What the readers of Word and OpenDocument files share.

Both formats are rewritten as XHTML (`page`), element by element, and then read as markup (`extract.markup`),
so that notes, sections, tables and breaks are treated as in every other format. `styles` says what the names
of styles mean; `parts` reads the members of the archive, and the metadata in them.
"""
