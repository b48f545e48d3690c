"""Recognises EPUBs whose text is encrypted, and names the protection."""

from alexandria.extract.container import Container, MemberError
from alexandria.extract.markup.tree import Element, local_name, parse_xml
from alexandria.extract.refusals import protected

# Obfuscated fonts (EPUB 3 §4.4, and Adobe's older method) are not DRM: the text is readable.
_FONT_OBFUSCATION = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_TEXT_SUFFIXES = (".xhtml", ".html", ".htm", ".xml", ".opf", ".ncx")


def refuse_drm(container: Container) -> None:
    """Refuse a book whose text is encrypted, naming the protection.

    Raises:
        BookError: `drm`.
    """
    system = _detect_protection(container)
    if system:
        raise protected(container.path, system)


def _detect_protection(container: Container) -> str | None:
    """Return the name of the system that protects a book, or None if its text is not encrypted."""
    if container.find("META-INF/license.lcpl"):
        return "Readium LCP"
    if container.find("META-INF/sinf.xml"):
        return "Apple FairPlay"
    if b"ns.adobe.com/adept" in _read_or_empty(container, "META-INF/rights.xml"):
        return "Adobe ADEPT"
    if any(_is_encrypted_text(entry) for entry in _encryption_entries(container)):
        return "encryption"
    return None


def _encryption_entries(container: Container) -> list[Element]:
    """Return the entries of `encryption.xml`, one per encrypted file; none if the book has no such file."""
    root = parse_xml(_read_or_empty(container, "META-INF/encryption.xml"), recover=True)
    if root is None:
        return []
    return [e for e in root.iter() if local_name(e) == "encrypteddata"]


def _is_encrypted_text(entry: Element) -> bool:
    """Return whether an entry of `encryption.xml` encrypts a file of text, by the file's suffix."""
    method = next((e.get("Algorithm", "") for e in entry if local_name(e) == "encryptionmethod"), "")
    uri = next((e.get("URI", "") for e in entry.iter() if local_name(e) == "cipherreference"), "")
    return method not in _FONT_OBFUSCATION and uri.lower().endswith(_TEXT_SUFFIXES)


def _read_or_empty(container: Container, name: str) -> bytes:
    """Return a member of the archive, or no bytes if it is missing or damaged."""
    try:
        return container.read(name)
    except MemberError:
        return b""
