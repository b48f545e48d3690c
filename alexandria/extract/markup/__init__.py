"""What EPUB, HTML, FictionBook and Markdown share: elements become blocks, notes and sections."""
