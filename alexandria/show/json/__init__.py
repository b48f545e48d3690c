"""The JSON documents of the command line: one function and one type per document.

`alexandria schema NAME` prints what `doors/cli/schemas.py` derives from the types. To add a document, write
its type with a docstring and its function, and add the type to `DOCUMENTS` there.
"""
