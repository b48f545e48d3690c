"""What is read of a stored book: `stored` has its passages and chapters, `contents` its table of contents.

`pictures` draws its pages, and `viewers` says which program opens it at a passage.
"""
