"""Compares the quotations of a manuscript with the books of a library, word by word.

`manuscript` reads files into texts, `marks` finds what stands between quotation marks, `quoted` says which of
it is a quotation, `citations` what is claimed of its source, `comparison` where it stands in the books and in
what it differs, `judging` puts these together, and `report` has the values that come out.
"""
