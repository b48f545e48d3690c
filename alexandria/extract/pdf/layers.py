"""Leaves out the text of layers that are switched off: optional content that is neither shown nor printed.

PDFium reads the text of all layers, and does not name the layer of what it reads. It is therefore given the
file with a revision appended, in which each layer that is not always on has a number, which it does return.

Source: ISO 32000-1, 8.11.
"""

import mmap
import re
import zlib
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import suppress
from ctypes import byref, c_int
from functools import reduce
from io import BytesIO
from operator import and_, or_
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium  # type: ignore[import-untyped]  # has no stubs
import pypdfium2.raw as raw  # type: ignore[import-untyped]  # has no stubs

from alexandria.book.model import count_words

_VIEW, _PRINT, _ALWAYS = 0b01, 0b10, 0b11  # for what a layer is on: its state
_KEY = b"AlexandriaLayer"  # under which a layer has its state in the revision
_LAYER = b"<< /AlexandriaLayer %d >>"
_FORM = (
    b"<< /Type /XObject /Subtype /Form /BBox [-32768 -32768 32767 32767] /Length 22\n"
    b"/Resources << /Properties << /L << /AlexandriaLayer %d >> >> /XObject << /F %d 0 R >> >> >>\n"
    b"stream\n/OC /L BDC /F Do EMC \nendstream"
)  # in place of a form in a layer: the same form in text of that layer
_REMARK = b"<< /Type /Annot /Subtype /Text /Rect [0 0 0 0] /Contents %b >>"
"""In place of an annotation in a layer that is off: like all remarks, it is left out and counted."""
_SWITCH = re.compile(rb"/OFF\s*\[?\s*\d|/BaseState\s*/OFF|/AS\s*[\[\d]|/OCMD\b")  # what may switch a layer
_MEMBER = re.compile(rb"/OC(?:MD\b|\s*\d)")
"""A membership, or a form or annotation in a layer: only then are pages searched for them."""
_FAR = 1 << 16  # points to the right, beyond any page
_MAX_BYTES = 1 << 24  # most bytes of a stream of objects that are looked through

_States = dict[tuple[int, int], int]  # by the numbers of layers as objects


def revise_layers(path: Path, password: str | None) -> bytes:
    """Return what is to be appended to a file to number its layers; nothing if all are always on."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        parts = [content, *_object_streams(content)]
        is_hidden = len(parts) > 1 and content.find(b"/Encrypt") >= 0  # streams cannot be searched
        has_layers = any(part.find(b"/OCProperties") >= 0 for part in parts)
        if not is_hidden and not (has_layers and any(_SWITCH.search(part) for part in parts)):
            return b""
        has_members = is_hidden or any(_MEMBER.search(part) for part in parts)
    import pypdf  # half of the import time of the PDF modules

    try:
        reader = pypdf.PdfReader(path, password=password)
        objects = _numbered_objects(reader, has_members)
        return _revision(reader.trailer, path, objects) if objects else b""
    except MemoryError:
        raise
    except Exception:  # on damaged files pypdf raises whatever its own code runs into
        return b""


def _object_streams(content: mmap.mmap) -> Iterator[Any]:
    """Yield the streams in which a file has objects."""
    end = 0
    while (at := content.find(b"/ObjStm", end)) >= 0:
        start = content.find(b"stream", at + len(b"/ObjStm")) + len(b"stream")
        end = max(content.find(b"endstream", start), start)
        with suppress(zlib.error):
            yield zlib.decompressobj().decompress(content[start:end].lstrip(b"\r\n"), _MAX_BYTES)


def _numbered_objects(reader: Any, has_members: bool) -> dict[tuple[int, int], bytes]:
    """Return the objects that name layers which are not always on, with numbers in their place."""
    states = _states(_dictionary(reader.root_object.get("/OCProperties")))
    objects = {key: _LAYER % state for key, state in states.items() if state != _ALWAYS and key[0]}
    next_number = reader.trailer["/Size"]
    for member, layer in _members(reader.pages) if has_members else ():
        state, kind = _state(layer, states), member.get_object().get("/Subtype")
        if state == _ALWAYS:
            continue
        if kind is None:
            objects[_key(member)] = _LAYER % state
        elif kind == "/Form":
            objects[_key(member)] = _FORM % (state, next_number)
            objects[next_number, 0] = _written(member.get_object())
            next_number += 1
        elif kind != "/Image" and not state:
            words = member.get_object().get("/Contents") or member.get_object().get("/V")
            objects[_key(member)] = _REMARK % (_written(words) if words else b"()")
    return objects


def _states(properties: Any) -> _States:
    default = _dictionary(properties.get("/D"))
    usual = 0 if default.get("/BaseState") == "/OFF" else _ALWAYS
    states = {_key(layer): usual for layer in _list(properties, "/OCGs")}
    states |= {_key(layer): _ALWAYS for layer in _list(default, "/ON")}
    states |= {_key(layer): 0 for layer in _list(default, "/OFF")}
    for usage in map(_dictionary, _list(default, "/AS")):
        bit = {"/View": _VIEW, "/Print": _PRINT}.get(usage.get("/Event"), 0)
        for layer in _list(usage, "/OCGs"):
            uses = _dictionary(_dictionary(layer).get("/Usage"))
            wanted = {_dictionary(uses.get(use)).get(f"{use}State") for use in _list(usage, "/Category")}
            if wanted & {"/ON", "/OFF"}:
                state = states.get(_key(layer), usual) & ~bit
                states[_key(layer)] = state if "/OFF" in wanted else state | bit
    return states


def _state(layer: Any, states: _States) -> int:
    """Return the state of a layer, of a membership in several, or of the expression of one."""
    value = layer.get_object()
    if isinstance(value, list):
        operator, values = value[0], [_state(operand, states) for operand in value[1:]]
        if operator == "/Not":
            return values[0] ^ _ALWAYS
    elif "/VE" in value:
        return _state(value["/VE"], states)
    elif value.get("/Type") == "/OCMD":
        policy = str(value.get("/P", "/AnyOn"))
        operator, flipped = policy[:4], _ALWAYS if policy.endswith("Off") else 0
        values = [states[key] ^ flipped for key in map(_key, _list(value, "/OCGs")) if key in states]
    else:
        return states.get(_key(layer), _ALWAYS)
    is_any = operator in ("/Or", "/Any") and values
    return reduce(or_, values) if is_any else reduce(and_, values, _ALWAYS)


def _members(pages: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the memberships, forms and annotations of pages and of their forms, with their layers."""
    holders, seen = [*pages], {(0, 0)}  # an object without a number cannot be replaced
    while holders:
        holder = holders.pop()
        resources = _dictionary(holder.get("/Resources"))
        named = [_dictionary(resources.get(key)) for key in ("/Properties", "/XObject")]
        places = [entries.raw_get(name) for entries in named for name in entries]
        for place in (*places, *_list(holder, "/Annots")):
            if _key(place) not in seen:
                seen.add(_key(place))
                holders.append(member := _dictionary(place))
                if "/OC" in member or member.get("/Type") == "/OCMD":
                    yield place, member.raw_get("/OC") if "/OC" in member else place


def _revision(trailer: Any, path: Path, objects: dict[tuple[int, int], bytes]) -> bytes:
    """Return a revision with these objects, to be appended to a file."""
    with path.open("rb") as file:
        header = max(file.read(1024).find(b"%PDF-"), 0)  # offsets count from there
        end = file.seek(0, 2) - header
        file.seek(-min(end, 2048), 2)
        previous = re.findall(rb"startxref\s+(\d+)", file.read())[-1]
    body, table = b"\n", b"xref\n"
    for (number, generation), content in objects.items():
        table += b"%d 1\n%010d %05d n \n" % (number, end + len(body), generation)
        body += b"%d %d obj\n%b\nendobj\n" % (number, generation, content)
    kept = (key for key in ("/Root", "/Info", "/Encrypt", "/ID") if key in trailer)
    entries = b" ".join(key.encode() + b" " + _written(trailer.raw_get(key)) for key in kept)
    size = max(number for number, _ in objects) + trailer["/Size"]
    table += b"trailer\n<< %b /Size %d /Prev %b >>\n" % (entries, size, previous)
    return body + table + b"startxref\n%d\n%%%%EOF\n" % (end + len(body))


def _written(value: Any) -> bytes:
    value.write_to_stream(buffer := BytesIO())
    return buffer.getvalue()


def _key(reference: Any) -> tuple[int, int]:
    """Return the number and the generation of an object, or zeros if it has none of its own."""
    return getattr(reference, "idnum", 0), getattr(reference, "generation", 0)


def _list(holder: Any, key: str) -> list[Any]:
    """Return the items of an array in a dictionary, or its only item, as references if they are such."""
    value = holder[key].get_object() if key in holder else []
    return [*value] if isinstance(value, list) else [holder.raw_get(key)]


def _dictionary(value: Any) -> Any:
    """Return the dictionary that a value is or refers to; an empty one if it is something else."""
    value = value.get_object() if hasattr(value, "get_object") else value
    return value if isinstance(value, dict) else {}


def switch_off(page: pdfium.PdfPage) -> int:
    """Take what is neither shown nor printed out of a page, and return how many words that is.

    The page is one of the file as `revise_layers` leaves it, so that the state of each piece is known:
    whether it is shown (`_VIEW`) and printed (`_PRINT`).
    Of what is only shown and what is only printed, one is taken out if the other has all of its words.
    """
    pieces = _pieces(raw.FPDFPage_GetObject, page.raw, raw.FPDFPage_CountObjects(page), _ALWAYS)
    states = {state for _, state in pieces}
    if states == {_ALWAYS}:
        return 0
    off = {0}
    if {_VIEW, _PRINT} <= states:
        shown, printed = (Counter(_text(page, pieces, {only}).split()) for only in (_VIEW, _PRINT))
        off |= {_PRINT} if printed <= shown else {_VIEW} if shown <= printed else set()
    n_words: int = count_words(_text(page, pieces, off)) if states & off else 0
    for piece in (piece for piece, state in pieces if state in off):
        _set_active(piece, False)
    return n_words


def _text(page: pdfium.PdfPage, pieces: Sequence[tuple[Any, int]], states: Container[int]) -> str:
    """Return the text of a page that is in layers of these states; the rest is then inactive."""
    others = [piece for piece, state in pieces if state not in states]
    for piece in others:
        _set_active(piece, False)
    text = str(page.get_textpage().get_text_range())
    for piece in others:
        _set_active(piece, True)
    return text


def _set_active(piece: Any, is_active: bool) -> None:
    """Make an object active, or inactive and far off: PDFium drops words that an inactive one has there."""
    raw.FPDFPageObj_SetIsActive(piece, is_active)
    raw.FPDFPageObj_Transform(piece, 1, 0, 0, 1, -_FAR if is_active else _FAR, 0)


def _pieces(get: Callable[[Any, int], Any], holder: Any, count: int, around: int) -> list[tuple[Any, int]]:
    """Return the objects of a page or form, with the states of the layers around them taken together."""
    # Bound here: most pages have hundreds of objects, and few of them in layers.
    count_marks, count_inside = raw.FPDFPageObj_CountMarks, raw.FPDFFormObj_CountObjects
    pieces = []
    for piece in [get(holder, i) for i in range(count)]:
        state = around
        for i in range(count_marks(piece)):
            mark, value = raw.FPDFPageObj_GetMark(piece, i), c_int()
            if raw.FPDFPageObjMark_GetParamIntValue(mark, _KEY, byref(value)):
                state &= value.value
        n_inside = count_inside(piece)  # below 0 if it is no form; PDFium limits how deep they are nested
        if n_inside > 0:
            pieces += _pieces(raw.FPDFFormObj_GetObject, piece, n_inside, state)
        else:
            pieces.append((piece, state))
    return pieces
