"""The package document (OPF): the book's metadata, its files, and the order in which they are read."""

from collections.abc import Mapping
from dataclasses import dataclass

from alexandria.book import Metadata
from alexandria.errors import BookError, Code
from alexandria.extract.clean import one_line
from alexandria.extract.container import Container, MemberError
from alexandria.extract.markup.tree import Element, local_name, parse_xml, resolve

XHTML_TYPES = frozenset(
    [
        "application/xhtml+xml",
        "text/html",
        "application/x-dtbook+xml",
        "text/x-oeb1-document",
        "image/svg+xml",
    ]
)
_SUFFIXES = (".xhtml", ".html", ".htm", ".svg")
_OPF_ROLE = "{http://www.idpf.org/2007/opf}role"
_OPF_EVENT = "{http://www.idpf.org/2007/opf}event"
_UNKNOWN_DATE = "0101-"
"""How a date begins that Calibre writes for a book of unknown date."""


@dataclass(frozen=True, slots=True)
class Item:
    """An entry of the manifest."""

    id: str
    path: str
    media_type: str
    properties: frozenset[str]
    fallback: str | None

    @property
    def readable(self) -> bool:
        """Whether it is a document with text: by its media type or, without one, by its name."""
        if self.media_type in XHTML_TYPES:
            return True
        return not self.media_type and self.path.lower().endswith(_SUFFIXES)


@dataclass(frozen=True, slots=True)
class Package:
    """What reading needs from the package document."""

    metadata: Metadata
    spine: tuple[Item, ...]
    """In reading order; items outside the linear order come last."""
    steps: Mapping[str, str]
    """How an EPUB CFI into each document of the spine begins, by the id of its item: `/6/8!`."""
    unreadable: tuple[Item, ...]
    """Items of the spine that have no text, nor a fallback with text."""
    nav: str | None
    ncx: str | None
    guide: Mapping[tuple[str, str], frozenset[str]]
    """The types of special parts (`cover`, `toc`…) by path and fragment, as EPUB 2 names them."""


def read_package(container: Container) -> Package:
    """Read the package document that the container points to.

    Raises:
        BookError: `unsupported` for an archive that is not an EPUB, `damaged` for a broken package document.
    """
    path = _package_path(container)
    try:
        root = parse_xml(container.read(path), recover=True)
    except MemberError as error:
        raise _damaged(container, f"{path}, which lists its chapters, cannot be read: {error}") from error
    if root is None:
        raise _damaged(container, f"{path}, which lists its chapters, is not XML")
    items = _manifest(root, path)
    spine = next((e for e in root if local_name(e) == "spine"), None)
    refs = [e for e in spine if local_name(e) == "itemref"] if spine is not None else []
    if not refs:
        raise _damaged(container, f"{path} lists no chapters: it is truncated, or its spine is empty")
    steps = _steps(root, spine)
    # Auxiliary pages are reached by links; a reader who turns pages does not meet them among the chapters.
    refs.sort(key=lambda ref: ref.get("linear") == "no")
    listed = [items[id] for ref in refs if (id := ref.get("idref")) in items]
    read = [(item, _with_text(item, items)) for item in dict.fromkeys(listed)]
    for item, readable in read:  # a fallback is reached through the item that it is read instead of
        if readable and item.id in steps:
            steps.setdefault(readable.id, steps[item.id])
    return Package(
        metadata=opf_metadata(root),
        spine=tuple(dict.fromkeys(readable for _, readable in read if readable)),
        steps=steps,
        unreadable=tuple(item for item, readable in read if not readable),
        nav=next((i.path for i in items.values() if "nav" in i.properties), None),
        ncx=_ncx(items, spine),
        guide=_guide(root, path),
    )


def _steps(root: Element, spine: Element | None) -> dict[str, str]:
    """Return how a CFI into each document begins: the steps to its reference in the spine."""
    if spine is None:
        return {}
    to_spine = 2 * next(i for i, element in enumerate(root, 1) if element is spine)
    references = ((ref.get("idref"), 2 * i) for i, ref in enumerate(spine, 1))
    steps: dict[str, str] = {}
    for id, step in references:
        steps.setdefault(id or "", f"/{to_spine}/{step}!")
    return steps


def _package_path(container: Container) -> str:
    try:
        root = parse_xml(container.read("META-INF/container.xml"), recover=True)
    except MemberError:
        root = None
    for element in root.iter() if root is not None else ():
        if local_name(element) == "rootfile" and (path := element.get("full-path")):
            return path
    package = next((name for name in container.archive.namelist() if name.lower().endswith(".opf")), None)
    if package is None:
        raise BookError(
            f"cannot read {container.path}",
            why="it is a ZIP archive, but not an EPUB",
            fix="unpack it and ingest the books inside",
            code=Code.UNSUPPORTED,
        )
    return package


def _damaged(container: Container, why: str) -> BookError:
    fix = "download or copy the file again"
    return BookError(f"cannot read {container.path}", why=why, fix=fix, code=Code.DAMAGED)


def _manifest(root: Element, path: str) -> dict[str, Item]:
    items = {}
    for element in root.iter():
        target = resolve(path, element.get("href", "")) if local_name(element) == "item" else None
        if target is None or not (id := element.get("id")):
            continue
        items[id] = Item(
            id=id,
            path=target[0],
            media_type=element.get("media-type", "").strip().lower(),
            properties=frozenset(element.get("properties", "").split()),
            fallback=element.get("fallback"),
        )
    return items


def _with_text(item: Item, items: Mapping[str, Item]) -> Item | None:
    seen = set()
    current: Item | None = item
    while current is not None and current.id not in seen:
        if current.readable:
            return current
        seen.add(current.id)
        current = items.get(current.fallback or "")
    return None


def _ncx(items: Mapping[str, Item], spine: Element | None) -> str | None:
    declared = items.get(spine.get("toc", "")) if spine is not None else None
    if declared is not None:
        return declared.path
    return next((i.path for i in items.values() if i.media_type == "application/x-dtbncx+xml"), None)


def _guide(root: Element, path: str) -> dict[tuple[str, str], frozenset[str]]:
    return {
        target: frozenset({element.get("type", "").strip().lower()})
        for element in root.iter()
        if local_name(element) == "reference" and (target := resolve(path, element.get("href", "")))
    }


def opf_metadata(root: Element) -> Metadata:
    """Return the metadata of a package document, or of Calibre's `metadata.opf`."""
    texts: dict[str, list[str]] = {}
    for element in _dublin_core(root):
        if text := one_line(element.text or ""):
            texts.setdefault(local_name(element), []).append(text)
    language = next(iter(texts.get("language", ())), "").replace("_", "-")
    known = language.casefold() not in ("", "und", "zxx", "mul")
    return Metadata(
        title=next(iter(texts.get("title", ())), ""),
        authors=_authors(root),
        language=language if known else None,
        language_source="metadata" if known else None,
        publisher=next(iter(texts.get("publisher", ())), ""),
        date=_date(root),
        identifiers=tuple(texts.get("identifier", ())),
        subjects=tuple(texts.get("subject", ())),
        translators=tuple(name for name, roles in _people(root).items() if "trl" in roles),
        series=_series(root),
    )


def _dublin_core(root: Element) -> list[Element]:
    return [
        e
        for e in root.iter()
        if isinstance(e.tag, str) and e.tag.startswith("{http://purl.org/dc/elements/1.1/}")
    ]


def _authors(root: Element) -> tuple[str, ...]:
    """Return the creators with the role of author; all creators if no role names one."""
    creators = _people(root, "creator")
    authors = tuple(name for name, own_roles in creators.items() if not own_roles or "aut" in own_roles)
    return authors or tuple(creators)


def _series(root: Element) -> str:
    """Return the series and the number in it, as Calibre or EPUB 3 writes them; empty if there is none."""
    metas = [element for element in root.iter() if local_name(element) == "meta"]
    named = {element.get("name"): one_line(element.get("content") or "") for element in metas}
    if series := named.get("calibre:series"):
        return with_number(series, named.get("calibre:series_index", ""))
    for element in metas:
        if element.get("property") == "belongs-to-collection" and (series := one_line(element.text or "")):
            refined = {
                meta.get("property"): meta for meta in metas if meta.get("refines") == f"#{element.get('id')}"
            }
            number = refined.get("group-position")
            return with_number(series, "" if number is None else one_line(number.text or ""))
    return ""


def with_number(series: str, number: str) -> str:
    """Return a series with a number in it, which Calibre writes as `3.0`."""
    return f"{series} {number.removesuffix('.0')}".strip()


def _people(root: Element, *kinds: str) -> dict[str, set[str]]:
    """Return creators and contributors, or one of these kinds, with the roles of each."""
    roles: dict[str, set[str]] = {}
    for element in root.iter():
        if local_name(element) == "meta" and element.get("property") == "role":
            roles.setdefault(element.get("refines", "").lstrip("#"), set()).add((element.text or "").strip())
    creators: dict[str, set[str]] = {}
    for element in _dublin_core(root):
        if local_name(element) in (kinds or ("creator", "contributor")) and (
            name := one_line(element.text or "")
        ):
            stated = element.get(_OPF_ROLE)
            own_roles = {stated} if stated else roles.get(element.get("id", ""), set())
            creators.setdefault(name, set()).update(own_roles)
    return creators


def _date(root: Element) -> str:
    """Return the date of publication; when a file was made, converted or changed is not the book's date."""
    dates = [
        one_line(element.text or "")
        for element in _dublin_core(root)
        if local_name(element) == "date" and "publication" in element.get(_OPF_EVENT, "publication")
    ]
    return next((date for date in dates if date and not date.startswith(_UNKNOWN_DATE)), "")
