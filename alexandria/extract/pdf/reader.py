"""Reads the pages and the outline of a file with PDFium."""

import ctypes
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice

import pypdfium2 as pdfium  # type: ignore[import-untyped]  # has no stubs
import pypdfium2.raw as raw  # type: ignore[import-untyped]  # has no stubs

from alexandria.extract.pdf.columns import MAX_SPACE, Box
from alexandria.extract.pdf.layers import switch_off
from alexandria.extract.pdf.lines import MIRRORED, Line, Mark, OutlineEntry, Page, with_bullet, with_markers
from alexandria.extract.pdf.text_layer import has_layer, layer_lines
from alexandria.extract.pdf.textpage import (
    MIRROR_IMAGES,
    RIGHT_TO_LEFT,
    SMALL,
    normalise_label,
    read_text_page,
)
from alexandria.extract.pdf.vertical import loses_columns

_SIGN = re.compile(r"(\[)?(\d{1,3}|[*∗†‡§¶‖]{1,3}|\|\|)(?(1)\])")
_LOOSE_BRACKET = re.compile(r"(?<=\w)(?:([(\[{«]) | ([)\]}»]))(?=\w)")
"""A bracket at the wrong side of a space: PDFium reads the word that is drawn beside it on its other side."""
_CROSSED_BRACKETS = re.compile(r"(?<=\w)([(\[{«])( ?)([)\]}»])(?=\w)")
"""An opening bracket before the closing one of the brackets that end there."""
_BRACKET = re.compile(r"[(\[{«)\]}»]")
_DASHES = ("—", "⸺", "⸻")
_MIN_DROP_CAP = 1.6  # times the size of the line beside it: a drop cap; letters with raised signs are smaller
_MAX_RISE = 0.5  # times the size: how far a raised or lowered sign is from the baseline of its line, at most
_MAX_OVERLAP = 0.2  # times the size: how far a raised sign may reach over the end of what precedes it
_WORD_SPACE = 0.2  # times the size: kerning and side bearings are narrower, spaces are wider
_MAX_OUTLINE_DEPTH = 8
_MIN_OUTLINES = 200  # fewest shapes of a page whose letters are shapes, or of a drawing that has words
_MAX_SIDE = 2_000  # pixels of a side of a picture in which lines of type are looked for: one per point
_STRIPS = 8  # strips of a page from left to right; two have rows where it has a line, and a caption is one
_MIN_CONTRAST, _MIN_INK, _MAX_ROW = 40, 0.04, 30
"""Levels of 255 that ink is darker than paper; its share of a row of type; pixels of the height of one."""
_MAX_SCANT = 100  # characters of a page on which it is looked for glyphs without text
_SILENT = (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP)  # a link has no text; a window has that of a comment


def read_pages(document: pdfium.PdfDocument, *, has_layers: bool = False) -> Iterator[Page]:
    """Yield the pages in order; a page that cannot be loaded has no lines.

    Args:
        document: the file, in the revision of `layers` if it has one.
        has_layers: whether it has.
    """
    if document.get_formtype() == raw.FORMTYPE_ACRO_FORM:
        document.init_forms()  # draws fields that have no appearance of their own
    has_false_spaces = False
    for index in range(len(document)):
        label = read_string(partial(document.get_page_label, index)) or None
        try:
            page, annotations = read_annotations(document, index)
            n_switched_off = switch_off(page) if has_layers else 0
            text = read_text_page(page, index)
        except pdfium.PdfiumError:
            yield Page(index, label, height=0.0, lines=(), unread=True)
            continue
        # `get_bbox` includes inherited boxes and orders the corners; the page's own boxes do neither.
        box = page.get_bbox()
        turned_box = text.turn_back(box)
        loses_letters = text.loses_letters()
        text_layer = has_layer(page, text)
        if not text_layer:
            spaced, text = text, text.without_false_spaces(measures_all=has_false_spaces)
            has_false_spaces |= text is not spaced
        lines = (
            layer_lines(text, box)
            if text_layer
            else tuple(map(with_bullet, with_markers(_rejoin_lines(text.lines(box)))))
        )
        hidden = tuple([line for line in lines if not _is_inside(line, turned_box if line.turn else box)])
        visible = tuple([line for line in lines if line not in hidden]) if hidden else lines
        # Asked only if it matters: on the first page, which may be a cover, and on pages without text.
        pictures = page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,), max_depth=2)
        has_picture = (index == 0 or not lines) and any(pictures)
        outlines = () if lines else page.get_objects(filter=(raw.FPDF_PAGEOBJ_PATH,), max_depth=4)
        is_outlined = len([*islice(outlines, _MIN_OUTLINES)]) == _MIN_OUTLINES
        # On a page with more characters, some glyphs give text.
        is_scant = not n_switched_off and (len(text.text) < _MAX_SCANT or text.is_vertical)
        pieces = [*page.get_objects(filter=(raw.FPDF_PAGEOBJ_TEXT,), max_depth=2)] if is_scant else []
        lacks_columns = loses_columns(pieces)
        lacks_text = not lines and (has_picture or lacks_columns or is_outlined)
        yield Page(
            index,
            label,
            height=turned_box[3] - turned_box[1],
            lines=begin_at_left(visible) if text.is_right_to_left else visible,
            unread=lacks_text or _drops_glyphs(pieces, text.text),
            wordless=has_picture and not (lines or pieces or lacks_columns) and not shows_lines(page),
            loses_columns=lacks_columns,
            loses_letters=loses_letters,
            hidden=hidden,
            n_switched_off=n_switched_off,
            comments=unread(annotations, text.text) if annotations else (),
            pictured=has_picture and index in (0, len(document) - 1),
            text_layer=text_layer,
            sides=(turned_box[0], turned_box[2]),
        )
        page.close()


def shows_lines(page: pdfium.PdfPage) -> bool:
    """Return whether the picture of a page has dark rows between light ones, as high as lines of type."""
    import numpy as np  # few files need it

    scale = min(1, _MAX_SIDE / max(page.get_size()))
    pixels = np.asarray(page.render(scale=scale, grayscale=True).to_numpy())  # (height, width[, 1])
    n_strips = 0
    # In strips, so that rows of a crooked page do not run together.
    for strip in np.array_split(pixels.reshape(len(pixels), -1), min(_STRIPS, pixels.shape[1]), axis=1):
        is_dark = (strip < np.percentile(strip, 90) - _MIN_CONTRAST).mean(axis=1) > _MIN_INK
        edges = np.flatnonzero(np.diff(is_dark.astype(np.int8), prepend=0, append=0))
        heights = edges[1::2] - edges[::2]
        n_strips += bool(((heights > 1) & (heights <= _MAX_ROW)).any())
    return n_strips >= 2


def _drops_glyphs(pieces: Iterable[pdfium.PdfObject], text: str) -> bool:
    """Return whether a page has fewer characters than pieces of text: its fonts do not name their letters."""
    # The box of a blank piece has no extent.
    return bool(sum(box[:2] != box[2:] for box in map(pdfium.PdfObject.get_bounds, pieces)) > len(text))


def begin_at_left(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Return lines of text from right to left as in a mirror, which begin at the left; others as they are.

    Where most first brackets of lines close, the file has each in the form of its mirror image.
    """
    text = "".join(line.text for line in lines)
    if not RIGHT_TO_LEFT.search(text) or 2 * len(RIGHT_TO_LEFT.findall(text)) < sum(map(str.isalpha, text)):
        return lines
    closing = [match[0] in ")]}»" for line in lines if (match := _BRACKET.search(line.text))]
    table = MIRROR_IMAGES if 2 * sum(closing) > len(closing) else {}
    return tuple(
        line._replace(
            text=_LOOSE_BRACKET.sub(r"\2 \1", _CROSSED_BRACKETS.sub(r"\3\2\1", line.text.translate(table))),
            x0=-line.x1,
            x1=-line.x0,
            turn=MIRRORED,
        )
        for line in lines
    )


def read_string(read: Callable[[], str]) -> str:
    """Return the string that `read` takes from the file; empty if its bytes cannot be decoded."""
    try:
        return read()
    except UnicodeDecodeError:
        return ""


def _is_inside(line: Line, box: Box) -> bool:
    """Return whether a line is on the visible page; outside it are printers' marks, or half of a spread."""
    # A box without an area hides nothing.
    left, bottom, right, top = box
    if left >= right or bottom >= top:
        return True
    begins_inside = left <= line.x0 <= right - line.size
    return (begins_inside or left <= (line.x0 + line.x1) / 2 <= right) and bottom <= line.y <= top


def _rejoin_lines(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield the lines, joined where PDFium split one line at a raised or lowered sign."""
    last: Line | None = None
    for line in lines:
        if last and _are_one_line(last, line):
            last = _join_lines(last, line)
            continue
        if last:
            yield last
        last = line
    if last:
        yield last


def _are_one_line(before: Line, after: Line) -> bool:
    """Return whether two lines are parts of one: at nearly the same height, side by side."""
    # A drop cap and the line beside it are not; they are joined later, by `paragraphs`.
    size = max(before.size, after.size)
    if abs(before.y - after.y) >= _MAX_RISE * size:  # the usual case: different lines
        return False
    if len(before.text) <= 2 and before.size > _MIN_DROP_CAP * after.size:  # a drop cap
        return False
    return -_MAX_OVERLAP * size < after.x0 - before.x1 < MAX_SPACE * size


def _join_lines(before: Line, after: Line) -> Line:
    """Return two parts of a line as one line; a part that is a raised sign becomes the mark of a note."""
    size = max(before.size, after.size)
    is_apart = after.x0 - before.x1 > _WORD_SPACE * size and not after.text.startswith(_DASHES)
    space = " " if is_apart else ""
    shift = len(before.text) + len(space)
    marks = [mark.moved(shift) for mark in after.marks]
    if _is_raised_sign(after, before):
        marks = [Mark(shift, shift + len(after.text), normalise_label(after.text.strip("[]")))]
    elif _is_raised_sign(before, after):  # the label of a note
        marks = [Mark(0, len(before.text), normalise_label(before.text.strip("[]"))), *marks]
    earlier_marks = [mark for mark in before.marks if mark not in marks]  # which may have the label as well
    main = before if before.size >= after.size else after
    return main._replace(
        text=before.text + space + after.text,
        x0=min(before.x0, after.x0),
        x1=max(before.x1, after.x1),
        marks=(*earlier_marks, *marks),
        ink=_join_ink(before, after),
    )


def _join_ink(before: Line, after: Line) -> tuple[float, float] | None:
    """Return the `Line.ink` of two lines as one, or None if both are letters."""
    if not before.ink and not after.ink:
        return None
    (bottom, top), (other_bottom, other_top) = before.extent, after.extent
    return min(bottom, other_bottom), max(top, other_top)


def _is_raised_sign(line: Line, beside: Line) -> bool:
    """Return whether a line is only a sign that is smaller and higher than the line beside it."""
    return line.size < SMALL * beside.size and line.y > beside.y and bool(_SIGN.fullmatch(line.text))


def read_outline(document: pdfium.PdfDocument) -> tuple[OutlineEntry, ...]:
    """Return the outline's entries that point to a page, in order."""
    entries = []
    for bookmark in document.get_toc(max_depth=_MAX_OUTLINE_DEPTH):
        target = bookmark.get_dest()
        page = target.get_index() if target else None
        title = " ".join(read_string(bookmark.get_title).split())
        if target is None or page is None or not title:
            continue
        mode, view = target.get_view()
        names_point = mode == raw.PDFDEST_VIEW_XYZ and len(view) > 1  # left, top, zoom
        # PDFium returns 0 if the file leaves out the top.
        y = view[1] or None if names_point else None
        entries.append(OutlineEntry(title, level=bookmark.level + 1, page=page, y=y))
    return tuple(entries)


def read_annotations(document: pdfium.PdfDocument, index: int) -> tuple[pdfium.PdfPage, list[str]]:
    """Return a page, with fields and remarks as part of its text, and the words of all its annotations."""
    page = document[index]
    annotations = [*_annotations_of(page)]
    if any(is_shown for is_shown, _ in annotations):
        raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY)
        page.close()
        page = document[index]  # loaded again, as it now is
    return page, [text for _, text in annotations if text]


def unread(annotations: Sequence[str], text: str) -> list[str]:
    """Return the words that are laid over a page, but not part of its text."""
    letters = "".join(text.split())
    return [words for words in annotations if "".join(words.split()) not in letters]


def _annotations_of(page: pdfium.PdfPage) -> Iterator[tuple[bool, str]]:
    """Yield whether the text of an annotation is shown on the page, and the text."""
    for i in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, i)
        kind = raw.FPDFAnnot_GetSubtype(annotation)
        if kind == raw.FPDF_ANNOT_WIDGET:
            field, value = _string(annotation, b"FT"), _string(annotation, b"V")
            if field != "Btn":  # the value of a button is no text
                # One of several places of a field has neither.
                yield bool(value or not field), value
        elif kind not in _SILENT:
            text = _string(annotation, b"Contents")
            yield kind == raw.FPDF_ANNOT_FREETEXT and bool(text), text
        raw.FPDFPage_CloseAnnot(annotation)


def _string(annotation: raw.FPDF_ANNOTATION, key: bytes) -> str:
    """Return a string of an annotation, or the name of its kind of field."""
    size = raw.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    buffer = ctypes.create_string_buffer(size)
    raw.FPDFAnnot_GetStringValue(annotation, key, ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)), size)
    return buffer.raw[:-2].decode("utf-16-le", "replace").strip()
