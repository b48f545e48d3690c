"""Notes: finds what cites them, over what they extend, and which mark belongs to which note.

A mark is the number or sign in the text that cites a note; a label is the same number or sign with which the
note begins. Formats only find out where marks and notes are; `pairing` pairs them, for all alike. Modules of
`markup`, `pdf` and this folder import from one another, in no circle.

- `in_text`: typed as text in any book: `[1]` in a sentence, `[1]` at the start of a paragraph.
- `in_markup`: of links in HTML and its kin. `untangle` and `hidden` bring odd markup into the usual form,
  `marks` and `links` recognise marks, `unlinked` the notes without links, `extent` the elements of a note;
  `cited` removes what no mark cites.
- `in_pdf`: at the foot of pages. `labels` reads marks and labels in lines of type, `lists` the notes after
  chapters, `scanned_marks` the marks on pictures of pages.
"""
