"""PalmDOC compression: literal bytes, references to the last 2,047 bytes, and pairs of space and letter."""

from alexandria.extract.mobi.palmdb import DamageError


def unpack(data: bytes) -> bytes:
    """Return the unpacked text of a record, which is at most five times as long as the record.

    Raises:
        DamageError: a reference leads before the record's beginning.
    """
    out = bytearray()
    end = len(data)
    i = 0  # the next byte to read
    while i < end:
        byte = data[i]
        i += 1
        if 0x09 <= byte < 0x80 or not byte:
            out.append(byte)
        elif byte < 0x09:  # the number of literal bytes that follow
            out += data[i : i + byte]
            i += byte
        elif byte >= 0xC0:  # a space and a letter
            out += b" "
            out.append(byte ^ 0x80)
        elif i < end:  # a reference of two bytes: two fixed bits, 11 bits of distance, 3 of length
            pair = (byte << 8) | data[i]
            i += 1
            distance, length = (pair >> 3) & 0x7FF, (pair & 7) + 3
            if not 0 < distance <= len(out):
                raise DamageError("its compressed text refers to text before its beginning")
            start = len(out) - distance
            copied = out[start : start + length]
            # A reference may extend into the text that it produces: the copied bytes then repeat.
            out += (copied * (length // len(copied) + 1))[:length]
    return bytes(out)
