"""A query becomes hits: `question` reads it, `seeking` asks the store and ranks, `hits` puts this in order.

A filter is added in `alexandria.book.filters`, a mode in `alexandria.book.choices` and `hits`.
"""
