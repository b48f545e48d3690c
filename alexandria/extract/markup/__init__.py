"""Turns markup into drafts, for EPUB, HTML, FictionBook, Markdown, Word and OpenDocument.

In the order in which a document passes through them: `tree` parses it; `notes.in_markup` and `matter` find
the elements that are notes, or are not the book's text; `walk` turns elements into blocks (with `frames`,
`elements`, `breaks` and `nodes`); `sections` divides the blocks. `compose` calls them all: begin there.
"""
