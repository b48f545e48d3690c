"""Everything that is done to many books at once, most of all ingesting them.

`discovery` finds the files, `run` ingests them, `plan` decides what is to be done with each, `ingestor`
stores the books, and `cluster` does the same on many machines. `mending` repairs a library.
"""
