"""What Word and OpenDocument files share: their XHTML (`page`), the names of styles (`styles`), their parts.

Both are rewritten as XHTML, one element after another, and then read as markup (`extract.markup`), so that
notes, sections, tables and breaks are treated as in every other format.
"""
