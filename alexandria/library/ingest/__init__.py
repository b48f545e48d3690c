"""Ingests books: `one_book` has the stages that each of them passes.

`discovery` finds the files, `run` ingests them, `plan` decides what is to be done with each, `ingestor`
stores the books, and `cluster` does the same on many machines.
"""
