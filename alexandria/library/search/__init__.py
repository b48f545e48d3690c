"""A `request` becomes hits: `question` understands it, `seeking` finds and ranks, `remarks` explain.

Both ask the store: to understand is to look up words, slips and names. `library` is the catalog everywhere.

Read `hits.search` first. A filter is added in `alexandria.book.filters`, a mode in `alexandria.book.choices`.
"""
