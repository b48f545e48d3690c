"""Markup to drafts, for EPUB, HTML, FictionBook, Markdown, Word and OpenDocument.

The modules in the order in which a document meets them: `tree` parses it; `notes` and `matter` find the
elements that are notes, or not the book's text; `walk` turns the elements into blocks (with `elements` and
`blocks`); `sections` divides the blocks; `compose` makes a draft of them all.
"""
