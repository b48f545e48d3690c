"""Compares the quotations of a manuscript with the books of a library, word by word.

`manuscript` reads files into texts, and `highlights` those of e-readers; `marks` finds what stands between
quotation marks, `sources` what is said of its source, `shelf` has the books it is compared with, `judging`
says what is a quotation and how it stands there, and `report` has the values that come out.
"""
