"""What `inspect` shows: a book's cuts as one value, with their figures.

An `Inspection` is made from an analysis or from a library; the terminal, the HTML page and the JSON all read
it, so that they show the same numbers and say the same. Add a figure in `figures.py`, then to the views that
should show it.
"""
