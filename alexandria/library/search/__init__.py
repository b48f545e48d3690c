"""A `request` becomes hits: `question` understands it, `seeking` asks the store and ranks, `remarks` explain.

Read `hits.search` first. A filter is added in `alexandria.book.filters`, a mode in `alexandria.book.choices`.
"""
