"""Resolves an EPUB CFI in the file itself, as its specification says: independent of what makes them."""

import re
from functools import cache
from urllib.parse import unquote
from zipfile import ZipFile

from lxml import etree

_PARTS = re.compile(r"epubcfi\((?P<package>[^!]*)!(?P<document>[^:]*)(?::(?P<offset>\d+))?\)")


class Resolver:
    """An open EPUB, whose documents are parsed once each."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive
        self._documents: dict[str, etree._Element] = {}
        container = etree.fromstring(archive.read("META-INF/container.xml"))
        self._opf = str(container.find(".//{*}rootfile").get("full-path"))  # type: ignore[union-attr]  # always there

    def lead(self, cfi: str) -> tuple[str, str]:
        """Return the path of the document a CFI leads to, and its text from there to its end."""
        match = _PARTS.fullmatch(cfi)
        assert match, cfi
        path = self._path(match["package"])
        *steps, text = _steps(match["document"])
        element = _element(self._document(path), steps)
        node = (element, False) if text == 1 else (element[(text - 1) // 2 - 1], True)
        if not text % 2:
            node = (_element(element, [text]), False)
        whole, starts = self._texts(path)
        return path, _from_unit(whole[starts[node] :], int(match["offset"] or 0))

    def text_of(self, path: str) -> str:
        """Return all text of a document."""
        return self._texts(path)[0]

    @cache  # noqa: B019  # a resolver lives as long as a test
    def _texts(self, path: str) -> tuple[str, dict[tuple[etree._Element, bool], int]]:
        """Return the text of a document, and where each text node begins: that in an element, or its tail."""
        starts, pieces, n = {}, [], 0
        for event, element in etree.iterwalk(self._document(path), events=("start", "end")):
            starts[element, event == "end"] = n
            pieces.append((element.text if event == "start" else element.tail) or "")
            n += len(pieces[-1])
        return "".join(pieces), starts

    def _path(self, package: str) -> str:
        """Return the path of the document that the part of a CFI before its `!` leads to."""
        reference = _element(self._document(self._opf), _steps(package))
        items = {item.get("id"): item.get("href") for item in self._document(self._opf).iter("{*}item")}
        folder = self._opf.rpartition("/")[0]
        return unquote("/".join(part for part in (folder, str(items[reference.get("idref")])) if part))

    def text_at(self, cfi: str) -> str:
        """Return the text from the place a CFI names to the end of that text node."""
        match = _PARTS.fullmatch(cfi)
        assert match, cfi
        path = self._path(match["package"])
        *steps, text = _steps(match["document"])
        element = _element(self._document(path), steps)
        if not text % 2:
            return "".join(map(str, _element(element, [text]).itertext()))
        node = element.text if text == 1 else element[(text - 1) // 2 - 1].tail
        return _from_unit(node or "", int(match["offset"] or 0))

    def _document(self, path: str) -> etree._Element:
        if path not in self._documents:
            parser = etree.XMLParser(remove_comments=True, remove_pis=True, load_dtd=False, no_network=True)
            self._documents[path] = etree.fromstring(self._archive.read(path), parser)
        return self._documents[path]


def _from_unit(text: str, n: int) -> str:
    """Return a text without its first `n` code units of UTF-16."""
    return text.encode("utf-16-le")[2 * n :].decode("utf-16-le")


def _steps(path: str) -> list[int]:
    return [int(step) for step in path.split("/")[1:]]


def _element(element: etree._Element, steps: list[int]) -> etree._Element:
    for step in steps:
        assert step % 2 == 0
        element = element[step // 2 - 1]
    return element
