"""Requests become responses: checked, routed to a page, and rendered as HTML or JSON."""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import ChoiceLoader, Environment, PackageLoader
from markupsafe import Markup

from alexandria.book.languages import language_name
from alexandria.doors.mcp.offer import handlers
from alexandria.doors.mcp.protocol import (
    BATCHED_VERSIONS,
    INVALID_REQUEST,
    PARSE_ERROR,
    VERSIONS,
    answer,
    failure,
)
from alexandria.doors.web.pages import CARRIED, Pages, View
from alexandria.doors.web.requests import Address, RefusedError, Request, Response, check_address, refusal
from alexandria.errors import AlexandriaError, ConfigError, StoreError
from alexandria.library.libraries import AnyLibrary
from alexandria.show.html.checking import CHECK_WORDS
from alexandria.show.html.layout import make_environment
from alexandria.show.json.types import error_document

_TYPES = {
    "app.css": "text/css; charset=utf-8",
    "marked.css": "text/css; charset=utf-8",
    "app.js": "text/javascript; charset=utf-8",
    "theme.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_EMPTY_LINES = re.compile(r"\n\s*\n")
_JSON = "application/json"
_HTML = "text/html; charset=utf-8"
_ASSUMED_VERSION = "2025-03-26"
"""Of the protocol for language models, for a client that sends none, as that revision says."""
_MAX_PAGE_DIGITS = 7  # digits of a page's number: more than the longest file needs


class Site:
    """A library at an address: answers requests, from several threads."""

    def __init__(self, library: AnyLibrary, token: str, port: int, *, password: str | None = None) -> None:
        """Serve a library.

        Args:
            library: read by several threads.
            token: the first segment of every address; without it, everything is refused.
            port: part of the only host names that are answered.
            password: the password of encrypted PDFs, whose pages are drawn.
        """
        self._token, self._port = token, port
        self._pages = Pages(library, password)
        self._templates = _make_environment()
        self._handlers = handlers(lambda: library)

    def respond(self, request: Request) -> Response:
        """Return the response to a request."""
        try:
            address = check_address(request, self._token, self._port)
            return self._route(request, address)
        except RefusedError as error:
            if "text/html" not in request.headers.get("accept", ""):
                return refusal(error.status, error.reason)
            text = self._templates.get_template("refused.html").render(reason=error.reason)
            return Response(error.status, text.encode(), _HTML)

    def _route(self, request: Request, address: Address) -> Response:
        """Return the response to an allowed request."""
        # Each page has a JSON document, at the same address with `.json` added.
        if address.path == ("mcp",):
            return self._answer_mcp(request)
        is_sent = request.method == "POST" and address.path in (("check",), ("check.json",))
        if request.method not in ("GET", "HEAD") and not is_sent:
            raise RefusedError(405, "pages can only be read")
        match address.path:
            case ():  # the token without the slash after it: relative links would lead elsewhere
                return Response(308, b"", headers={"Location": f"/{self._token}/"})
            case ("assets", name):
                return _asset_response(name)
            case ("book", id, "page", number) if number.endswith(".png"):
                return self._picture_response(id, number.removesuffix(".png"))
        name, dot, kind = address.path[-1].rpartition(".")
        as_json = bool(dot) and kind == "json"
        path = (*address.path[:-1], name) if as_json else address.path

        def respond(status: int, view: View) -> Response:
            return _json_response(status, view.document()) if as_json else self._render(status, view, address)

        try:
            return respond(200, self._make_view(path, address.values, request))
        except RefusedError as error:
            return respond(error.status, _error_view(ConfigError(error.reason)))
        except AlexandriaError as error:
            return respond(503 if isinstance(error, StoreError) else 404, _error_view(error))

    def _make_view(self, path: tuple[str, ...], values: Mapping[str, str], request: Request) -> View:
        """Return the page at a path.

        Raises:
            AlexandriaError: the library cannot show it.
            RefusedError: there is no such page.
        """
        match path:
            case ("",) | ("shelf",):
                return self._pages.shelf(values)
            case ("find",):
                return self._pages.places(values)
            case ("search",):
                return self._pages.results(values)
            case ("check",):
                return self._pages.check(_sent_text(request))
            case ("cite",):
                return self._pages.cite(values)
            case ("book", id):
                return self._pages.book(id)
            case ("book", id, "read"):
                return self._pages.reading(id, values)
            case ("book", id, "page", number) if _is_page_number(number):
                return self._pages.page(id, int(number), values)
        raise RefusedError(404, "there is no such page")

    def _render(self, status: int, view: View, address: Address) -> Response:
        """Return a page as HTML; its links are relative to its depth in the site."""
        depth = len(address.path) - 1
        values = {
            **view.values,
            "root": "../" * depth or "./",
            "here": {**dict.fromkeys(CARRIED, ""), **address.values},
            "json": _json_address(address),
            "frame": {**self._pages.layout_values(), "finds": address.path[-1] == "find"},
        }
        text = self._templates.get_template(view.template).render(values)
        return Response(status, text.encode("utf-8", "replace"), _HTML)

    def _picture_response(self, id: str, number: str) -> Response:
        """Return the picture of a page of a book; on an error, its reason as plain text."""
        if not _is_page_number(number):
            raise RefusedError(404, "there is no such page")
        try:
            return Response(200, self._pages.picture(id, int(number)), "image/png")
        except AlexandriaError as error:
            return refusal(404, f"{error.what}: {error.why}" if error.why else error.what)

    def _answer_mcp(self, request: Request) -> Response:
        """Answer a message of the Model Context Protocol; there are no sessions."""
        if request.method != "POST":
            raise RefusedError(405, "messages are sent with POST")
        if _content_type(request) != _JSON:
            raise RefusedError(415, "messages are application/json")
        version = request.headers.get("mcp-protocol-version", _ASSUMED_VERSION)
        if version not in VERSIONS:
            known = ", ".join(VERSIONS)
            return _json_response(400, failure(None, INVALID_REQUEST, f"the known versions are {known}"))
        try:
            message = json.loads(request.body)
        except (ValueError, RecursionError):
            return _json_response(400, failure(None, PARSE_ERROR, "not valid JSON"))
        if isinstance(message, list) and version not in BATCHED_VERSIONS:
            return _json_response(400, failure(None, INVALID_REQUEST, f"{version} has no lists of messages"))
        response = answer(message, self._handlers)
        return Response(202, b"") if response is None else _json_response(200, response)


def _content_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _sent_text(request: Request) -> str:
    """Return the text that a page of ours sends, a field `text` or the body alone; empty if nothing is sent.

    Raises:
        RefusedError: it does not say that it comes from a page of ours, or is no text.
    """
    if request.method != "POST":
        return ""
    if "origin" not in request.headers:  # `check_address` has compared it
        raise RefusedError(403, "texts are sent from the page itself")
    if _content_type(request) != "text/plain":  # percent-encoded, a text could be six times as long
        raise RefusedError(415, "texts are text/plain")
    return request.body.decode("utf-8", "replace").removeprefix("text=").replace("\r\n", "\n")


def _error_view(error: AlexandriaError) -> View:
    return View("error.html", {"error": error}, lambda: error_document(error))


def _is_page_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _MAX_PAGE_DIGITS


def _json_response(status: int, document: Any) -> Response:
    return Response(status, json.dumps(document, ensure_ascii=False).encode("utf-8", "replace"), _JSON)


def _asset_response(name: str) -> Response:
    if name not in _TYPES:
        raise RefusedError(404, "there is no such file")
    return Response(200, _read_asset(name), _TYPES[name])


@cache
def _read_asset(name: str) -> bytes:
    package = "alexandria.show.html" if name == "marked.css" else "alexandria.doors.web"
    return files(package).joinpath("assets", name).read_bytes()


def _json_address(address: Address) -> str:
    """Return the address of a page's JSON document, relative to the page."""
    name = address.path[-1] or "shelf"
    query = urlencode(address.values, quote_via=quote)
    return f"{quote(name)}.json" + (f"?{query}" if query else "")


def _lang_attribute(tag: str | None) -> Markup:
    """Return the attribute that tells a screen reader the language; empty if it is not a language tag."""
    return Markup(f' lang="{tag}"') if tag and _LANGUAGE_TAG.fullmatch(tag) else Markup("")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!", "…")) else ".")


def _without_empty_lines(text: str) -> str:
    return _EMPTY_LINES.sub("\n", text)


def _make_environment() -> Environment:
    packages = ("alexandria.doors.web", "alexandria.show.html")  # the second has the text with its marks
    environment = make_environment(ChoiceLoader([PackageLoader(package, "assets") for package in packages]))
    environment.globals |= CHECK_WORDS
    environment.filters |= {
        "lang": _lang_attribute,
        "without_empty_lines": _without_empty_lines,
        "format_name": lambda name: {"txt": "text", "markdown": "Markdown"}.get(name, name.upper()),
        "language_name": language_name,
        "sentence": _sentence,
    }
    return environment
