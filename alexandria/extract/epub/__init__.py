"""Reads EPUB 2 and 3: the archive (`container`), its package document (`package`), its contents (`toc`).

The chapters are then read as markup (`extract.markup`); those that are pictures are recognised (`pictures`,
then `picture_pages`). EbookLib is not used: it rejects a book with one missing picture, and returns encrypted
chapters as text.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from alexandria.errors import BookError, Code
from alexandria.extract.container import Container, MemberError
from alexandria.extract.draft import Draft
from alexandria.extract.epub.package import Package, read_package
from alexandria.extract.epub.pictures import EpubPicture, find_pictures, is_text_in_pictures
from alexandria.extract.epub.toc import read_nav, read_ncx, read_page_map
from alexandria.extract.markup import tree
from alexandria.extract.markup.compose import compose, find_no_matter
from alexandria.extract.markup.matter import MatterHints, find_matter
from alexandria.extract.markup.toc import Toc, outline_of
from alexandria.extract.markup.tree import Document, Element, local_name, parse_xml
from alexandria.extract.metadata import IMPRINT_KINDS, with_printed_dates
from alexandria.extract.mojibake import mojibake_warnings
from alexandria.extract.options import OCR_OFF, ReadOptions
from alexandria.extract.recogniser import way_to_read
from alexandria.extract.refusals import protected
from alexandria.extract.scans import Scan, UnrecognisedError

# Obfuscated fonts (EPUB 3 §4.4, and Adobe's older method) are not DRM: the text is readable.
_FONT_OBFUSCATION = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_TEXT_SUFFIXES = (".xhtml", ".html", ".htm", ".xml", ".opf", ".ncx")


def extract(path: Path, options: ReadOptions) -> Draft:
    """Return the draft of an EPUB.

    A missing or damaged chapter becomes a warning; the others are read.

    Raises:
        BookError: `damaged`, `unsupported`, `drm`, `password`, `too_large`, or `no_text`.
        UnrecognisedError: its chapters are pictures, which must be recognised first.
    """
    with Container.open(path) as container:
        _refuse_drm(container)
        package = read_package(container)
        documents, warnings = _read_spine(container, package)
        toc = _with_stored_names(_read_toc(container, package), package.guide, documents)
        pictures = find_pictures(container, documents)
        stylesheets = _read_stylesheets(container, documents)
    hints = MatterHints(toc.landmarks, package.nav)
    matter = {document.path: find_matter(document, hints) for document in documents}
    draft = compose(
        with_printed_dates(package.metadata, _printed_in_matter(matter.values())),
        documents,
        outline_of(toc, documents, matter),
        find_matter=find_no_matter if options.keep_matter else lambda document: matter[document.path],
        warnings=warnings,
        stylesheets=stylesheets,
    )
    if pictures and options.ocr != OCR_OFF and is_text_in_pictures(draft, pictures):
        draft = _with_recognised_text(draft, pictures, documents, toc, options)
    if not draft.sections:
        raise _no_text_error(path, package, warnings, pictures=pictures, options=options)
    return draft


def _printed_in_matter(matter: Iterable[Mapping[Element, str]]) -> Iterator[str]:
    """Yield the paragraphs of title page, imprint and colophon."""
    for element in (e for elements in matter for e, kind in elements.items() if kind in IMPRINT_KINDS):
        yield from map(tree.text_of, element.iter("{*}p", "{*}li", "{*}h1", "{*}h2", "{*}h3"))


def _read_stylesheets(container: Container, documents: Sequence[Document]) -> dict[str, str]:
    """Return the style sheets to which the documents link, by path, as far as they can be read."""
    links = [
        (document, link.get("href", "")) for document in documents for link in document.root.iter("{*}link")
    ]
    texts = {}
    for target in dict.fromkeys(tree.resolve(document.path, href) for document, href in links):
        if target and target[0].lower().endswith(".css"):
            with suppress(MemberError):
                texts[target[0]] = container.read(target[0]).decode("utf-8", "replace")
    return texts


def _with_recognised_text(
    draft: Draft,
    pictures: Sequence[EpubPicture],
    documents: Sequence[Document],
    toc: Toc,
    options: ReadOptions,
) -> Draft:
    """Return the draft with the text recognised in the pictures, each chapter at its place.

    Args:
        options: `scanned` has the words on the pictures, or is None before they are recognised.

    Raises:
        UnrecognisedError: the pictures must be recognised first.
    """
    if options.scanned is None:
        members = tuple(dict.fromkeys(picture.member for picture in pictures))
        # If the book has text besides its pictures, its documents count as pages that need no recognition.
        n_pages = len(members) + (len(documents) if draft.sections else 0)
        raise UnrecognisedError(Scan(members, n_pages, draft.metadata.language))
    # Imported here, as few EPUBs need it: it imports the modules that read PDFs.
    from alexandria.extract.epub.picture_pages import draft_of_pictures, sort_by_document

    recognised = draft_of_pictures(pictures, options.scanned, toc, draft.metadata, options)
    return replace(
        draft,
        sections=sort_by_document((*draft.sections, *recognised.sections), documents),
        notes=(*draft.notes, *recognised.notes),
        left_out=(*draft.left_out, *recognised.left_out),
        warnings=(*draft.warnings, *recognised.warnings),
    )


def _read_spine(container: Container, package: Package) -> tuple[list[Document], list[str]]:
    """Return the documents of the spine, in reading order, and a warning for each that is incomplete."""
    documents = []
    warnings = [
        f"{item.path} was not read: {item.media_type} is not a text format"
        for item in package.unreadable
        if not item.media_type.startswith("image/")
    ]
    for item in package.spine:
        try:
            data, n_doubtful = tree.repair_mojibake(container.read(item.path))
            root, well_formed = tree.parse_xhtml(data)
        except MemberError as error:
            warnings.append(f"{item.path} was not read: {error}")
            continue
        if root is None:
            warnings.append(f"{item.path} was not read: it is neither XML nor HTML")
            continue
        warnings += (f"{item.path}: {warning}" for warning in mojibake_warnings(n_doubtful))
        if not well_formed:
            warnings.append(f"{item.path} is not well-formed: it was read as far as possible")
        elif warning := tree.warn_of_entities(data):
            warnings.append(f"{item.path} {warning}")
        documents.append(Document(item.path, root, package.steps.get(item.id, "")))
    return documents, warnings


def _read_toc(container: Container, package: Package) -> Toc:
    """Return the contents in the navigation document or, if it has none, the contents in the NCX."""
    # Pages and landmarks of the navigation document are kept if only its contents are missing.
    toc = Toc()
    sources = ((package.nav, read_nav), (package.ncx, read_ncx), (package.page_map, read_page_map))
    for path, read in sources:
        if path is None or (toc.pages if read is read_page_map else toc.lines):
            continue
        try:
            root = tree.parse_xml(container.read(path), recover=True)
        except MemberError:
            # No warning: without contents, headings divide the book, and no text is lost.
            continue
        if root is not None:
            contents = read(root, path)
            toc = Toc(
                contents.lines or toc.lines, contents.pages or toc.pages, contents.landmarks or toc.landmarks
            )
    return toc


def _with_stored_names(
    toc: Toc, guide: Mapping[tuple[str, str], frozenset[str]], documents: Sequence[Document]
) -> Toc:
    """Return the contents with each path spelled as the archive spells it, and with the guide as landmarks.

    Where both the guide (EPUB 2) and the landmarks (EPUB 3) name a place, the landmarks win.

    Args:
        guide: the types of the parts that the guide names, by path and fragment.
    """
    stored_names = {tree.fold(document.path): document.path for document in documents}

    def with_stored_name(target: tuple[str, str]) -> tuple[str, str]:
        path, fragment = target
        return stored_names.get(tree.fold(path), path), fragment

    landmarks = (*guide.items(), *toc.landmarks.items())
    return Toc(
        lines=tuple(
            replace(line, target=line.target and with_stored_name(line.target)) for line in toc.lines
        ),
        pages={with_stored_name(target): label for target, label in toc.pages.items()},
        landmarks={with_stored_name(target): types for target, types in landmarks},
    )


def _no_text_error(
    path: Path,
    package: Package,
    warnings: list[str],
    *,
    pictures: Sequence[EpubPicture],
    options: ReadOptions,
) -> BookError:
    """Return the error for a book without text, by its cause: pictures, or chapters that cannot be read."""
    # `options`: `scanned` is not None if the pictures were recognised.
    lists_images = any(item.media_type.startswith("image/") for item in package.unreadable)
    why, fix, code = "its pages contain images and no text", "use an edition with text", Code.NO_TEXT
    if options.scanned is not None:
        why += ", and no words were found on them"
        fix = "look at its pages in a reader, or name the language of the book with --ocr LANG"
    elif pictures:
        fix = f"{way_to_read('pictures')}; or {fix}"
    elif warnings and not lists_images:
        why = f"none of its chapters can be read: {warnings[0]}"
        code = Code.DAMAGED if package.spine else Code.NO_TEXT
    return BookError(f"cannot read {path}", why=why, fix=fix, code=code)


def _refuse_drm(container: Container) -> None:
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
