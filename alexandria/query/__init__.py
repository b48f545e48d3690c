"""A query becomes hits: `hits` asks the store and ranks, the other modules each do one step of that.

A filter is added in `alexandria.filters`, a mode in `alexandria.modes` and `hits`.
"""
