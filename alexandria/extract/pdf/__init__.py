"""Reads PDFs. The modules in the order in which they process a page:

document → reader → running_heads → matter → columns → notes → paragraphs → hyphens → breaks → chapters →
blocks; `compose` calls all but the first two. `fallback` reads files that PDFium cannot open, `start` starts
PDFium without fonts, `scanned` turns recognised words into lines, `garbled` recognises text layers without
text or with a poor one, `signs` puts signs after their letters, `layers` leaves out what is switched off, and
`typography` measures type.
"""
