"""Reads the package document (OPF): the book's metadata, its files, and the order in which they are read."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from alexandria.book.languages import language_tag
from alexandria.book.model import Metadata
from alexandria.book.people import ROLES, TRANSLATOR, Contributor, divide, split_names
from alexandria.extract.clean import one_line
from alexandria.extract.container import Container, MemberError
from alexandria.extract.markup.tree import Element, local_name, parse_xml, resolve
from alexandria.extract.metadata import displayed_authors, divide_imprint, is_date, is_placeholder
from alexandria.extract.refusals import damaged, unsupported

XHTML_TYPES = frozenset([
    "application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document",
    "image/svg+xml",
])  # fmt: skip
_XML_TYPES = ("application/xml", "text/xml")
_SUFFIXES = (".xhtml", ".html", ".htm", ".svg")
_OPF = "http://www.idpf.org/2007/opf"
_DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"


@dataclass(frozen=True, slots=True)
class Item:
    """An entry of the manifest."""

    id: str
    path: str
    media_type: str
    properties: frozenset[str]
    fallback: str | None

    @property
    def is_readable(self) -> bool:
        """Whether the item is a document with text, by its media type or, if it has none, its suffix.

        XML of an unknown kind is, unless another item replaces it in readers.
        """
        if self.media_type in XHTML_TYPES:
            return True
        if self.media_type in _XML_TYPES:
            return self.fallback is None
        return not self.media_type and self.path.lower().endswith(_SUFFIXES)


@dataclass(frozen=True, slots=True)
class Package:
    """What reading needs from the package document."""

    metadata: Metadata
    spine: tuple[Item, ...]  # in reading order; items outside the linear order come last
    steps: Mapping[str, str]
    """How an EPUB CFI into each document of the spine begins, by the id of its item: `/6/8!`."""
    unreadable: tuple[Item, ...]  # items of the spine that have neither text nor a fallback with text
    nav: str | None  # the path of the navigation document (EPUB 3)
    ncx: str | None  # the path of the NCX (EPUB 2)
    page_map: str | None  # the path of the page map, Adobe's list of printed pages
    guide: Mapping[tuple[str, str], frozenset[str]]
    """The types of special parts (`cover`, `toc`…) by path and fragment, from the guide of EPUB 2."""


def read_package(container: Container) -> Package:
    """Read the package document that the container points to.

    Raises:
        BookError: `unsupported` for an archive that is not an EPUB, `damaged` for a broken package document.
    """
    path = _package_path(container)
    try:
        root = parse_xml(container.read(path), recover=True)
    except MemberError as error:
        raise damaged(container.path, f"{path}, which lists its chapters, cannot be read: {error}") from error
    if root is None:
        raise damaged(container.path, f"{path}, which lists its chapters, is not XML")
    items = _read_manifest(root, path)
    spine = next((e for e in root if local_name(e) == "spine"), None)
    if spine is None or not any(local_name(e) == "itemref" for e in spine):
        raise damaged(container.path, f"{path} lists no chapters: it is truncated, or its spine is empty")
    steps = _read_cfi_prefixes(root, spine)
    with_fallbacks = [(item, _readable_fallback(item, items)) for item in _list_spine_items(spine, items)]
    for item, readable in with_fallbacks:  # a CFI into a fallback begins like one into the item it replaces
        if readable and item.id in steps:
            steps.setdefault(readable.id, steps[item.id])
    return Package(
        metadata=opf_metadata(root),
        spine=_without_repeated_files(readable for _, readable in with_fallbacks if readable),
        steps=steps,
        unreadable=tuple(item for item, readable in with_fallbacks if not readable),
        nav=next((i.path for i in items.values() if "nav" in i.properties), None),
        ncx=_find_declared(items, spine.get("toc", ""), "application/x-dtbncx+xml"),
        page_map=_find_declared(items, spine.get("page-map", ""), "application/oebps-page-map+xml"),
        guide=_read_guide(root, path),
    )


def _without_repeated_files(items: Iterable[Item]) -> tuple[Item, ...]:
    """Return the items, but only the first of those that are the same file."""
    items_by_path: dict[str, Item] = {}
    for item in items:
        items_by_path.setdefault(item.path, item)
    return tuple(items_by_path.values())


def _list_spine_items(spine: Element, items: Mapping[str, Item]) -> list[Item]:
    """Return the items that the spine lists, each once; those outside the linear order come last."""
    # Readers reach pages outside the linear order through links, not by turning pages.
    refs = [e for e in spine if local_name(e) == "itemref"]
    refs.sort(key=lambda ref: ref.get("linear") == "no")  # `False` sorts before `True`
    ids = (ref.get("idref", "") for ref in refs)
    return list(dict.fromkeys(items[id] for id in ids if id in items))


def _read_cfi_prefixes(root: Element, spine: Element) -> dict[str, str]:
    """Return how an EPUB CFI into each document of the spine begins, by the id of its item."""
    # `/6/8!` leads to the fourth entry of a spine that is the third element of the package document: in a
    # CFI, the nth child element is step 2n.
    spine_step = 2 * next(i for i, element in enumerate(root, 1) if element is spine)
    steps: dict[str, str] = {}
    for i, ref in enumerate(spine, 1):
        steps.setdefault(ref.get("idref") or "", f"/{spine_step}/{2 * i}!")
    return steps


def _package_path(container: Container) -> str:
    """Return the path of the package document that the container names, or of the first `.opf` file.

    Raises:
        BookError: `unsupported`; there is none.
    """
    try:
        root = parse_xml(container.read("META-INF/container.xml"), recover=True)
    except MemberError:
        root = None
    for element in root.iter() if root is not None else ():
        if local_name(element) == "rootfile" and (path := element.get("full-path")):
            return path
    package = next((name for name in container.archive.namelist() if name.lower().endswith(".opf")), None)
    if package is None:
        raise unsupported(
            container.path, "it is a ZIP archive, but not an EPUB", "unpack it and ingest the books inside"
        )
    return package


def _read_manifest(root: Element, path: str) -> dict[str, Item]:
    """Return the items of the package document at `path`, by their ids."""
    items = {}
    for element in root.iter():
        if local_name(element) != "item":
            continue
        id, target = element.get("id"), resolve(path, element.get("href", ""))
        if not id or target is None:
            continue
        items[id] = Item(
            id=id,
            path=target[0],
            media_type=element.get("media-type", "").strip().lower(),
            properties=frozenset(element.get("properties", "").split()),
            fallback=element.get("fallback"),
        )
    return items


def _readable_fallback(item: Item, items: Mapping[str, Item]) -> Item | None:
    """Return the item if it has text, otherwise the first of its chain of fallbacks that has, or None."""
    seen = set()
    current: Item | None = item
    while current is not None and current.id not in seen:
        if current.is_readable:
            return current
        seen.add(current.id)
        current = items.get(current.fallback or "")
    return None


def _find_declared(items: Mapping[str, Item], id: str, media_type: str) -> str | None:
    """Return the path of the item that the spine names, or the first of a media type; or None."""
    if id in items:
        return items[id].path
    return next((i.path for i in items.values() if i.media_type == media_type), None)


def _read_guide(root: Element, path: str) -> dict[tuple[str, str], frozenset[str]]:
    """Return the type of each reference of EPUB 2's guide, by the path and fragment to which it leads."""
    return {
        target: frozenset({element.get("type", "").strip().lower()})
        for element in root.iter()
        if local_name(element) == "reference" and (target := resolve(path, element.get("href", "")))
    }


def opf_metadata(root: Element) -> Metadata:
    """Return the metadata of a package document, or of Calibre's `metadata.opf`."""
    texts: dict[str, list[str]] = {}
    for element in _dublin_core_elements(root):
        if text := one_line(element.text or ""):
            texts.setdefault(local_name(element), []).append(text)
    language = language_tag(next(iter(texts.get("language", ())), ""))
    title, subtitle = _read_titles(root)
    title, series, volume = _read_collections(root, title)
    people = _read_people(root, language)
    place, publisher = divide_imprint(next(iter(texts.get("publisher", ())), ""))
    identifiers = tuple(texts.get("identifier", ()))
    return Metadata(
        title=title,
        subtitle=subtitle,
        authors=displayed_authors(people),
        people=people,
        language=language,
        language_source="metadata" if language else None,
        publisher=publisher,
        place=place,
        date=_read_date(root),
        original_date=_read_date(root, _ORIGINAL),
        edition=_property(root, "bookEdition") or _property(root, "edition"),
        url=next((text for text in identifiers if re.match("https?://", text)), ""),
        identifiers=identifiers,
        subjects=tuple(texts.get("subject", ())),
        translators=tuple(person.name for person in people if person.role == TRANSLATOR),
        series=series,
        volume=volume,
    )


def _read_titles(root: Element) -> tuple[str, str]:
    """Return the title and the subtitle: by their types in EPUB 3, otherwise the first title and none."""
    types = _refinements(root, "title-type")
    titles = [
        (types.get(element.get("id", ""), ""), one_line(element.text or ""))
        for element in _dublin_core_elements(root)
        if local_name(element) == "title" and one_line(element.text or "")
    ]
    main = next((text for kind, text in titles if kind == "main"), "")
    untyped = next((text for kind, text in titles if not kind), "")
    title = main or untyped or next((text for _, text in titles), "")
    return title, next((text for kind, text in titles if kind == "subtitle" and text != title), "")


def _refinements(root: Element, property: str) -> dict[str, str]:
    """Return the values of a property that separate `meta` elements state, by the id of what they refine."""
    return {
        element.get("refines", "").lstrip("#"): one_line(element.text or "")
        for element in root.iter()
        if local_name(element) == "meta" and element.get("property") == property
    }


def _property(root: Element, name: str) -> str:
    """Return what a `meta` with this property or name states, in any vocabulary; empty without one."""
    for element in root.iter():
        if local_name(element) == "meta" and not element.get("refines"):
            stated = element.get("property") or element.get("name") or ""
            if stated.rpartition(":")[2] == name:
                return one_line(element.text or element.get("content") or "")
    return ""


def _dublin_core_elements(root: Element) -> list[Element]:
    return [e for e in root.iter() if isinstance(e.tag, str) and e.tag.startswith(_DUBLIN_CORE)]


_LIST = re.compile(
    r"\d|['’]s\b|\b(?:best|great(?:est)?|hundred|novels|books|classics|library|list|cornerstones|prizes?|awards?|"
    r"essentials?|canon|reading|collection)\b",
    re.IGNORECASE,
)  # what the name of a set has that is a list of books, such as one of the best novels


def _read_collections(root: Element, title: str) -> tuple[str, str, str]:
    """Return the title, the series with the book's number in it, such as `The Trades 3`, and the volume."""
    # Series and volume are empty if the book states none. Calibre states a series as in EPUB 2, with `meta`
    # elements for name and number. In EPUB 3, one `meta` names the collection, and another one, which refines
    # it, has the number. A set is a work in volumes; where they have titles of their own, its name comes
    # first.
    metas = [element for element in root.iter() if local_name(element) == "meta"]
    contents = {meta.get("name"): one_line(meta.get("content") or "") for meta in metas}
    series, volume = contents.get("calibre:series", ""), ""
    if series:
        series = series_with_number(series, contents.get("calibre:series_index", ""))
    for meta in metas:
        if meta.get("property") == "belongs-to-collection" and (name := one_line(meta.text or "")):
            reference = f"#{meta.get('id')}"
            refinements = {
                refining.get("property"): one_line(refining.text or "")
                for refining in metas
                if refining.get("refines") == reference
            }
            position = refinements.get("group-position", "")
            if refinements.get("collection-type") != "set":
                series = series or series_with_number(name, position)
            elif position and title.casefold().startswith(name.casefold()):
                volume = position.removesuffix(".0")
            elif position and not _LIST.search(name):
                title = f"{name}, Vol. {position}: {title}"
    return title, series, volume


def series_with_number(series: str, number: str) -> str:
    """Return the name of a series followed by the book's number in it, which Calibre writes as `3.0`."""
    return f"{series} {number.removesuffix('.0')}".strip()


def _read_people(root: Element, language: str | None) -> tuple[Contributor, ...]:
    """Return the people who made the book, with their roles; a creator without one is an author."""
    # EPUB 3 states a role and how a name is sorted apart from the person; EPUB 2 as attributes, which some
    # programs write without their namespace.
    sorted_as = _refinements(root, "file-as")
    roles: dict[str, list[str]] = {}
    for element in root.iter():
        if local_name(element) == "meta" and element.get("property") == "role":
            roles.setdefault(element.get("refines", "").lstrip("#"), []).append(one_line(element.text or ""))
    people = []
    for element in _dublin_core_elements(root):
        kind, name = local_name(element), one_line(element.text or "")
        if kind not in ("creator", "contributor") or not name or is_placeholder(name):
            continue
        id = element.get("id", "")
        stated_roles = [_opf_attribute(element, "role"), *roles.get(id, ())]
        role = _main_role([role.lower() for role in stated_roles if role])
        role = role or ("aut" if kind == "creator" else "ctb")
        sorting = _opf_attribute(element, "file-as") or sorted_as.get(id, "")
        people += [
            divide(person, sorted_as=sorting, language=language, role=ROLES.get(role, role))
            for person in ([name] if sorting else split_names(name))
        ]
    return tuple(dict.fromkeys(people))


def _main_role(roles: Sequence[str]) -> str:
    """Return the one of a person's roles that a reference names first."""
    return next((role for role in ("aut", "edt", "trl") if role in roles), next(iter(roles), ""))


def _opf_attribute(element: Element, name: str) -> str:
    """Return an attribute of EPUB 2, with its namespace or, as in files that do not declare it, without."""
    return (element.get(f"{{{_OPF}}}{name}") or element.get(f"opf:{name}") or element.get(name) or "").strip()


_ORIGINAL = ("original-publication", "first-publication", "original")


def _read_date(root: Element, events: tuple[str, ...] = ("publication",)) -> str:
    """Return the first date of one of these events; a date that names no event is that of publication."""
    # Other dates say when the file was made, converted or changed.
    dates = [
        one_line(element.text or "")
        for element in _dublin_core_elements(root)
        if local_name(element) == "date" and (_opf_attribute(element, "event") or "publication") in events
    ]
    return next(filter(is_date, dates), "")
