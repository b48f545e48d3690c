"""A small writer of MOBI 6, KF8 and joint books, so that tests need no book of others.

Markup links by `href="#name"` to `id="name"`; both become positions, as the format has them.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from struct import pack

NONE = 0xFFFFFFFF
_RECORD = 4096
_HEADER = 0x108
_LINK = re.compile(rb'href="#([a-z0-9]+)"| id="([a-z0-9]+)"')
_FILEPOS = b"filepos=%010d"
_KINDLE = b'href="kindle:pos:fid:%s:off:%s"'


@dataclass(frozen=True)
class Line:
    """A line of the contents: its title, the name to which it leads, and the number of the line above it."""

    title: str
    name: str
    parent: int | None = None


@dataclass(frozen=True)
class Options:
    """How a book is written."""

    compression: int = 2
    encoding: int = 65001
    extra: int = 3
    encryption: int = 0
    title: str = "Small Things"
    exth: tuple[tuple[int, bytes], ...] = ((100, b"A. Writer"), (524, b"en"))
    contents: tuple[Line, ...] = ()
    guide: tuple[tuple[str, str], ...] = ()


DEFAULT = Options()


def mobi6(markup: str, options: Options = DEFAULT) -> bytes:
    """Return a MOBI 6 book. Its guide is in its markup."""
    return database(mobi6_records(markup, options))


def mobi6_records(markup: str, options: Options = DEFAULT) -> list[bytes]:
    data = markup.encode("cp1252" if options.encoding == 1252 else "utf-8")
    text, places = _placed([data], lambda place, _: _FILEPOS % place)
    lines = [(b"%03d" % i, _line(options, i, {1: (places[c.name],)})) for i, c in enumerate(options.contents)]
    tags = ((1, 1, 1), (3, 1, 2), (4, 1, 4), (21, 1, 8))
    indexes = {0xF4: index(lines, tags, _strings(options))} if lines else {}
    return _book(text[0], options, 6, indexes)


def kf8(parts: Sequence[str], options: Options = DEFAULT) -> bytes:
    """Return a KF8 book; each part is a document, of which the body is cut into fragments of 300 bytes."""
    return database(kf8_records(parts, options))


def kf8_records(parts: Sequence[str], options: Options = DEFAULT) -> list[bytes]:
    rows: list[tuple[int, int]] = []  # of fragments: position, length
    before: list[int] = []  # bytes of fragments of the same part before each
    skeletons: list[tuple[int, int, int]] = []  # start, length, fragments

    def link(place: int, _: int) -> bytes:
        if not rows:
            return _KINDLE % (b"0" * 4, b"0" * 10)
        row = max((i for i, (at, _) in enumerate(rows) if at <= place), default=0)
        return _KINDLE % (_base32(row, 4), _base32(place - rows[row][0], 10))

    raw = [part.encode() for part in parts]
    sized, _ = _placed(raw, link)
    at = 0
    for part in sized:
        begin, end = part.index(b"<body>") + 6, part.index(b"</body>")
        n = 0
        for start in range(begin, end, 300):
            rows.append((at + start, min(300, end - start)))
            before.append(start - begin)
            n += 1
        skeletons.append((at, len(part) - (end - begin), n))
        at += len(part)
    placed, places = _placed(raw, link)
    whole = b"".join(placed)
    text = b""
    row = 0
    for start, length, n in skeletons:
        spans = rows[row : row + n]
        row += n
        head, tail = spans[0][0], spans[-1][0] + spans[-1][1]
        text += whole[start:head] + whole[tail : tail + length - (head - start)] + whole[head:tail]
    style = b"p { margin: 0 }"

    def place(name: str) -> tuple[int, int]:
        at = max(i for i, (begin, _) in enumerate(rows) if begin <= places[name])
        return at, places[name] - rows[at][0]

    lines = [(b"%03d" % i, _line(options, i, {6: place(c.name)})) for i, c in enumerate(options.contents)]
    guide = [(type.encode(), {1: (0,), 6: place(name)}) for type, name in options.guide]
    indexes = {
        0xF8: index(
            [
                (b"%010d" % at, {2: (0,), 3: (0,), 4: (i,), 6: (before[i], n)})
                for i, (at, n) in enumerate(rows)
            ],
            ((2, 1, 1), (3, 1, 2), (4, 1, 4), (6, 2, 8)),
            _string("P-//*"),
        ),
        0xFC: index(
            [
                (b"SKEL%06d" % i, {1: (n, n), 6: (at, length) * 2})
                for i, (at, length, n) in enumerate(skeletons)
            ],
            ((1, 1, 3), (6, 2, 12)),
        ),
        0xC0: [b"FDST" + pack(">6L", 12, 2, 0, len(text), len(text), len(text) + len(style))],
    }
    if lines:
        indexes[0xF4] = index(lines, ((3, 1, 1), (4, 1, 2), (6, 2, 4), (21, 1, 8)), _strings(options))
    if guide:
        indexes[0x104] = index(guide, ((1, 1, 1), (6, 2, 2)), _string("Guide"))
    return _book(text + style, options, 8, indexes)


def joint(first: list[bytes], second: list[bytes], options: Options = DEFAULT) -> bytes:
    """Return a file with two books; `first` was written with room for the number of the second's record."""
    at = len(first) + 1
    head = first[0].replace(pack(">LL", 121, 12) + pack(">L", NONE), pack(">3L", 121, 12, at))
    return database([head, *first[1:], b"BOUNDARY", *second])


JOINT = replace(DEFAULT, exth=(*DEFAULT.exth, (121, pack(">L", NONE))))


def palmdoc_book(text: bytes, *, compression: int = 2, name: bytes = b"small") -> bytes:
    """Return a PalmDOC book of this text, in records of 4,096 bytes."""
    chunks = [text[i : i + 4096] for i in range(0, len(text), 4096)]
    head = pack(">HHLHHL", compression, 0, len(text), len(chunks), 4096, 0)
    return database(
        [head, *(_packed(chunk, compression, None) for chunk in chunks)], name=name, kind=b"TEXtREAd"
    )


def database(records: Sequence[bytes], *, name: bytes = b"small", kind: bytes = b"BOOKMOBI") -> bytes:
    """Return the file of these records."""
    head = name.ljust(32, b"\0") + bytes(28) + kind + bytes(8) + pack(">H", len(records))
    at = len(head) + 8 * len(records) + 2
    table = b""
    for i, record in enumerate(records):
        table += pack(">LL", at, i)
        at += len(record)
    return head + table + bytes(2) + b"".join(records)


def _placed(parts: Sequence[bytes], link: Callable[[int, int], bytes]) -> tuple[list[bytes], dict[str, int]]:
    """Return markup without ids and with links to positions, and the position of the tag of each id."""
    places: dict[str, int] = {}
    for _ in range(2):  # first to know the positions, then to write them
        at, placed, new = 0, [], dict[str, int]()
        for part in parts:
            out, last = b"", 0
            for match in _LINK.finditer(part):
                out += part[last : match.start()]
                last = match.end()
                if match[1]:
                    out += link(places.get(match[1].decode(), 0), at)
                else:
                    new[match[2].decode()] = at + out.rindex(b"<")
            placed.append(out + part[last:])
            at += len(placed[-1])
        places = new
    return placed, places


def _line(options: Options, i: int, place: Mapping[int, tuple[int, ...]]) -> dict[int, tuple[int, ...]]:
    line = options.contents[i]
    titles = [_string(each.title) for each in options.contents]
    parent = {} if line.parent is None else {21: (line.parent,)}
    return {**place, 3: (len(b"".join(titles[:i])),), 4: (0 if line.parent is None else 1,), **parent}


def _strings(options: Options) -> bytes:
    return b"".join(_string(line.title) for line in options.contents)


def _string(text: str) -> bytes:
    data = text.encode()
    return forward(len(data)) + data


def forward(value: int) -> bytes:
    """Return a number with its high bit in the last byte."""
    out = [value & 0x7F | 0x80]
    while value := value >> 7:
        out.append(value & 0x7F)
    return bytes(reversed(out))


def _base32(value: int, n: int) -> bytes:
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUV"
    return "".join(digits[value >> 5 * i & 31] for i in reversed(range(n))).encode()


def index(
    entries: Sequence[tuple[bytes, Mapping[int, tuple[int, ...]]]],
    tags: Sequence[tuple[int, int, int]],
    strings: bytes = b"",
) -> list[bytes]:
    """Return the records of an index: its header, its entries, its strings."""
    tagx = b"".join(bytes((*tag, 0)) for tag in tags) + bytes((0, 0, 0, 1))
    tagx = b"TAGX" + pack(">LL", 12 + len(tagx), 1) + tagx
    head = b"INDX" + pack(">L", 192) + bytes(16) + pack(">LL", 1, 65001) + pack(">LL", 0, len(entries))
    head = (head.ljust(52, b"\0") + pack(">L", bool(strings))).ljust(192, b"\0") + tagx
    body, offsets = b"INDX" + bytes(188), []
    for name, values in entries:
        offsets.append(len(body))
        control, sizes, data = 0, b"", b""
        for tag, n, mask in tags:
            times = len(values.get(tag, ())) // n
            numbers = b"".join(map(forward, values.get(tag, ())))
            if times * (mask & -mask) == mask and mask.bit_count() > 1:
                sizes += forward(len(numbers))
            control |= times * (mask & -mask)
            data += numbers
        body += bytes([len(name)]) + name + bytes([control]) + sizes + data
    table = len(body)
    body += b"IDXT" + b"".join(pack(">H", offset) for offset in offsets)
    body = body[:20] + pack(">LL", table, len(entries)) + body[28:]
    return [head, body, *([strings] if strings else [])]


def _book(text: bytes, options: Options, version: int, indexes: Mapping[int, list[bytes]]) -> list[bytes]:
    chunks = [text[i : i + _RECORD] for i in range(0, len(text), _RECORD)]
    huff = huffman(text) if options.compression == 17480 else None
    packed = [_packed(chunk, options.compression, huff) for chunk in chunks]
    records = [data + _entries(chunks, i, options.extra) for i, data in enumerate(packed)]
    places = {
        0x50: NONE,
        0x6C: NONE,
        0x70: NONE,
        0x74: 0,
        0xC0: NONE,
        0xF4: NONE,
        0xF8: NONE,
        0xFC: NONE,
        0x104: NONE,
    }
    if huff:
        places |= {0x70: len(records) + 1, 0x74: len(huff.records)}
        records += huff.records
    for offset, index_records in indexes.items():
        places[offset] = len(records) + 1
        records += index_records
    title = options.title.encode()
    exth = b"".join(pack(">LL", kind, 8 + len(value)) + value for kind, value in options.exth)
    exth = b"EXTH" + pack(">LL", 12 + len(exth), len(options.exth)) + exth
    fields = {
        0x14: _HEADER,
        0x18: 2,
        0x1C: options.encoding,
        0x24: version,
        0x5C: 9,
        0x80: 0x40,
        0xF0: options.extra,
    }
    fields |= {0x10: 0x4D4F4249, 0x54: 16 + _HEADER + len(exth), 0x58: len(title), **places}
    header = bytearray(16 + _HEADER)
    header[:16] = pack(
        ">HHLHHHH", options.compression, 0, len(text), len(chunks), _RECORD, options.encryption, 0
    )
    for offset, value in fields.items():
        header[offset : offset + 4] = pack(">L", value)
    return [bytes(header) + exth + title + bytes(4), *records]


def _entries(chunks: Sequence[bytes], i: int, extra: int) -> bytes:
    """Return what follows a record: the rest of a character that it began, and an entry of four bytes."""
    following = chunks[i + 1] if i + 1 < len(chunks) else b""
    n = next((n for n, byte in enumerate(following[:3]) if byte & 0xC0 != 0x80), 0)
    overlap = following[:n] + bytes([n]) if extra & 1 else b""
    return overlap + (b"\x05\x06\x07\x84" if extra & 2 else b"")


def _packed(chunk: bytes, compression: int, huff: "Huffman | None") -> bytes:
    if huff:
        return huff.pack(chunk)
    return palmdoc(chunk) if compression == 2 else chunk


def palmdoc(data: bytes) -> bytes:
    """Return data packed by PalmDOC."""
    out, i = b"", 0
    while i < len(data):
        for n in range(10, 2, -1):
            at = data.rfind(data[i : i + n], max(0, i - 2047), i + n - 1) if i + n <= len(data) else -1
            if 0 <= at < i:
                out += pack(">H", 0x8000 | (i - at) << 3 | n - 3)
                i += n
                break
        else:
            if data[i] == 0x20 and data[i + 1 : i + 2] and 0x40 <= data[i + 1] < 0x80:
                out += bytes([data[i + 1] ^ 0x80])
                i += 2
            else:
                plain = not data[i] or 0x09 <= data[i] < 0x80
                out += data[i : i + 1] if plain else b"\x01" + data[i : i + 1]
                i += 1
    return out


@dataclass(frozen=True)
class Huffman:
    """Codes of 8 bits for 240 phrases, of 12 for others; phrases of two words are packed themselves."""

    phrases: list[bytes]
    records: list[bytes]

    def pack(self, data: bytes) -> bytes:
        return _bits(data, {phrase: i for i, phrase in enumerate(self.phrases)})


def huffman(text: bytes) -> Huffman:
    """Return the codes for a text."""
    single = [bytes([byte]) for byte in sorted(set(text))]
    words = sorted(set(re.findall(rb"[a-z]{3,}", text)))
    pairs = sorted(set(re.findall(rb"[a-z]{3,} [a-z]{3,}", text)))
    phrases = [*single, *words][:400] + [pair for pair in pairs if pair not in words][:40]
    plain = {phrase: i for i, phrase in enumerate(phrases) if b" " not in phrase or len(phrase) == 1}
    coded = [p if p in plain else _bits(p, plain) for p in phrases]
    cdic = [
        _cdic(coded[i : i + 256], [p in plain for p in phrases[i : i + 256]], len(coded)) for i in (0, 256)
    ]
    head = b"HUFF" + pack(">5L", 24, 24, 24 + 1024, 0, 0)
    first = [(9 if byte < 16 else 8 | 0x80 | 255 << 8) for byte in range(256)]
    second = [0] * 64
    for length in (9, 10, 11):
        second[2 * length - 2] = 1 << length
    second[23] = 495
    return Huffman(phrases, [head + pack(">256L", *first) + pack(">64L", *second), *filter(None, cdic)])


def _cdic(phrases: Sequence[bytes], plain: Sequence[bool], n_all: int) -> bytes:
    table, body = b"", b""
    for phrase, is_plain in zip(phrases, plain, strict=True):
        table += pack(">H", 2 * len(phrases) + len(body))
        body += pack(">H", len(phrase) | (0x8000 if is_plain else 0)) + phrase
    return b"CDIC" + pack(">3L", 16, n_all, 8) + table + body if phrases else b""


def _bits(data: bytes, codes: Mapping[bytes, int]) -> bytes:
    bits, i = "", 0
    longest = max(map(len, codes))
    while i < len(data):
        phrase = next(data[i : i + n] for n in range(longest, 0, -1) if data[i : i + n] in codes)
        code = codes[phrase]
        bits += f"{255 - code:08b}" if code < 240 else f"{495 - code:012b}"
        i += len(phrase)
    bits += "0" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big") if bits else b""
