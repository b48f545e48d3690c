"""Protection of an EPUB: whether its text is encrypted, and by what."""

from alexandria.errors import BookError, Code
from alexandria.extract.container import Container, MemberError
from alexandria.extract.markup.tree import Element, local_name, parse_xml

# Obfuscated fonts (EPUB 3 §4.4, and Adobe's older method) are not DRM: the text is readable.
_FONT_OBFUSCATION = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")


def refuse_drm(container: Container) -> None:
    """Refuse a book whose text is encrypted, naming the protection.

    Raises:
        BookError: `drm`.
    """
    system = _drm(container)
    if system:
        raise BookError(
            f"cannot read {container.path}",
            why=f"the book is protected by {system}: its text is encrypted",
            fix="use an edition without DRM",
            code=Code.DRM,
        )


def _drm(container: Container) -> str | None:
    if container.find("META-INF/license.lcpl"):
        return "Readium LCP"
    if container.find("META-INF/sinf.xml"):
        return "Apple FairPlay"
    if _read(container, "META-INF/rights.xml").find(b"ns.adobe.com/adept") >= 0:
        return "Adobe ADEPT"
    return "encryption" if any(map(_hides_text, _encrypted(container))) else None


def _encrypted(container: Container) -> list[Element]:
    root = parse_xml(_read(container, "META-INF/encryption.xml"), recover=True)
    return [e for e in root.iter() if local_name(e) == "encrypteddata"] if root is not None else []


def _hides_text(encrypted: Element) -> bool:
    method = next((e.get("Algorithm", "") for e in encrypted if local_name(e) == "encryptionmethod"), "")
    uri = next((e.get("URI", "") for e in encrypted.iter() if local_name(e) == "cipherreference"), "")
    return method not in _FONT_OBFUSCATION and uri.lower().endswith(
        (".xhtml", ".html", ".htm", ".xml", ".opf", ".ncx")
    )


def _read(container: Container, name: str) -> bytes:
    try:
        return container.read(name)
    except MemberError:
        return b""
