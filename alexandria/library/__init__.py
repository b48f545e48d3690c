"""A library of books: what Python users hold, and the command line calls.

`Library` is one collection, `Libraries` reads several as one, and `shortcuts` has functions for a single
call.
"""
