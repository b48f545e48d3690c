"""A library of books: what Python users hold, and the command line calls.

`Library` is one collection: each of its methods opens what it needs, locks, and calls the room of its verb.
`Libraries` reads several as one, and `shortcuts` has functions for a single call.
"""
