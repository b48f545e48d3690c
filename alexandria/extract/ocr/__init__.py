"""Pictures of pages to words: the `tesseract` program, its languages, and what it prints.

`tesseract` runs the program within limits, `languages` chooses what it reads, `hocr` parses its output.
"""
