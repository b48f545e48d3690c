"""HUFF/CDIC compression: codes of up to 32 bits for phrases, which may be compressed themselves."""

from dataclasses import dataclass, field

from alexandria.extract.mobi.palmdb import DamageError, number

_MOST_NESTED = 32
"""Phrases within phrases: genuine dictionaries have a few levels."""
_MOST_BYTES = 1 << 16
"""Of one phrase or record: genuine records have 4,096, and nested phrases would grow without limit."""
_HEAD = 16
"""Bytes of a CDIC record before its table of phrases."""
_PLAIN = 0x8000
"""The bit in a phrase's length that says it is not compressed."""


@dataclass(frozen=True, slots=True)
class _Code:
    """What the first eight bits of a code say."""

    length: int
    is_whole: bool
    """The length is certain; otherwise it is the least."""
    largest: int


@dataclass(slots=True)
class Huffman:
    """The tables of a book's compression."""

    codes: tuple[_Code, ...]
    """By the first eight bits."""
    smallest: tuple[int, ...]
    """The smallest code of each length, as the high bits of 32."""
    largest: tuple[int, ...]
    phrases: list[tuple[bytes, bool]]
    """With whether they are still compressed."""
    unpacking: set[int] = field(default_factory=set)

    @classmethod
    def parse(cls, huff: bytes, dictionaries: list[bytes]) -> "Huffman":
        """Read the HUFF record and its CDIC records.

        Raises:
            DamageError: a table or phrase is outside its record.
        """
        if huff[:4] != b"HUFF":
            raise DamageError("the record of its Huffman codes is of another kind")
        first, second = number(huff, 8), number(huff, 12)
        codes = tuple(_code(number(huff, first + 4 * i)) for i in range(256))
        smallest, largest = [0], [0]
        for length in range(1, 33):
            smallest.append(number(huff, second + 8 * length - 8) << (32 - length))
            largest.append(((number(huff, second + 8 * length - 4) + 1) << (32 - length)) - 1)
        phrases: list[tuple[bytes, bool]] = []
        for dictionary in dictionaries:
            phrases += _phrases(dictionary, len(phrases))
        return cls(codes, tuple(smallest), tuple(largest), phrases)

    def unpack(self, data: bytes) -> bytes:
        """Return what a record of text holds.

        Raises:
            DamageError: a code means nothing, or phrases contain themselves or grow beyond any text.
        """
        if len(data) > _MOST_BYTES:
            raise DamageError(f"a record of its text has more than {_MOST_BYTES >> 10} KiB")
        out = bytearray()
        left = 8 * len(data)
        # Zeros after the end: a window of 32 bits is always whole.
        bits = int.from_bytes(data + bytes(4), "big")
        while left > 0:
            window = (bits >> left) & 0xFFFFFFFF
            code = self.codes[window >> 24]
            length, largest = code.length, code.largest
            if not code.is_whole:
                while length <= 32 and window < self.smallest[length]:
                    length += 1
                if length > 32:
                    raise DamageError("its text holds a Huffman code that means nothing")
                largest = self.largest[length]
            left -= length
            if left < 0:
                break  # the bits that fill the last byte
            out += self._phrase((largest - window) >> (32 - length))
            if len(out) > _MOST_BYTES:
                raise DamageError(f"a piece of its text unpacks to more than {_MOST_BYTES >> 10} KiB")
        return bytes(out)

    def _phrase(self, index: int) -> bytes:
        if not 0 <= index < len(self.phrases):
            raise DamageError(f"its text uses phrase {index:,} of {len(self.phrases):,}")
        phrase, is_packed = self.phrases[index]
        if is_packed:
            if index in self.unpacking or len(self.unpacking) >= _MOST_NESTED:
                raise DamageError(
                    "the phrases of its Huffman dictionary contain themselves or are nested too deep"
                )
            self.unpacking.add(index)
            phrase = self.unpack(phrase)
            self.unpacking.remove(index)
            self.phrases[index] = phrase, False
        return phrase


def _code(value: int) -> _Code:
    length, is_whole = value & 0x1F, bool(value & 0x80)
    if not length:
        raise DamageError("its table of Huffman codes has a code without bits")
    return _Code(length, is_whole, (((value >> 8) + 1) << (32 - length)) - 1)


def _phrases(record: bytes, n_before: int) -> list[tuple[bytes, bool]]:
    """Return the phrases of a dictionary record; `n_before` are in the records before it."""
    if record[:4] != b"CDIC":
        raise DamageError("a record of its Huffman dictionary is of another kind")
    n_all, bits = number(record, 8), number(record, 12)
    phrases = []
    for i in range(min(1 << min(bits, 16), max(n_all - n_before, 0))):
        at = _HEAD + number(record, _HEAD + 2 * i, 2)
        length = number(record, at, 2)
        end = at + 2 + (length & ~_PLAIN)
        if end > len(record):
            raise DamageError("a phrase of its Huffman dictionary is outside its record")
        phrases.append((record[at + 2 : end], not length & _PLAIN))
    return phrases
