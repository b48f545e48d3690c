"""Requests become responses: checked, routed to a page, and rendered as HTML or JSON."""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from alexandria.errors import AlexandriaError, StoreError
from alexandria.library.libraries import AnyLibrary
from alexandria.mcp.protocol import PARSE_ERROR, answer, failure
from alexandria.mcp.tools import TOOLS, declared_tools, run_tool
from alexandria.serve.pages import CARRIED, Pages, View
from alexandria.serve.requests import Address, RefusedError, Request, Response, allowed_place, refusal
from alexandria.views.html.templates import templates_from
from alexandria.views.json.errors import error_document

_TYPES = {
    "app.css": "text/css; charset=utf-8",
    "app.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_EMPTY_LINES = re.compile(r"\n\s*\n")
_JSON = "application/json"


class Site:
    """A library at an address: answers requests, from several threads."""

    def __init__(self, library: AnyLibrary, token: str, port: int, *, password: str | None = None) -> None:
        """Serve a library.

        Args:
            library: read by several threads.
            token: the first segment of every address; without it, everything is refused.
            port: part of the only host names that are answered.
            password: of encrypted PDFs, whose pages are drawn.
        """
        self._token, self._port = token, port
        self._pages, self._library = Pages(library, password), library
        self._templates = _environment()
        self._tools = declared_tools(TOOLS)

    def respond(self, request: Request) -> Response:
        """Return the response to a request."""
        try:
            place = allowed_place(request, self._token, self._port)
            return self._routed(request, place)
        except RefusedError as error:
            return refusal(error.status, error.reason)

    def _routed(self, request: Request, place: Address) -> Response:
        if place.path == ("mcp",):
            return self._model(request)
        if request.method not in ("GET", "HEAD"):
            raise RefusedError(405, "pages can only be read")
        match place.path:
            case ():  # without the slash, the links of the page would lead elsewhere
                return Response(308, b"", headers={"Location": f"/{self._token}/"})
            case ("assets", name):
                return _asset(name)
            case ("book", id, "page", number) if number.endswith(".png"):
                return self._picture(id, number.removesuffix(".png"))
        name, dot, kind = place.path[-1].rpartition(".")
        as_json = bool(dot) and kind == "json"
        path = (*place.path[:-1], name) if as_json else place.path
        try:
            view = self._view(path, place.values)
            return _document(200, view.document()) if as_json else self._page(200, view, place)
        except AlexandriaError as error:
            status = 503 if isinstance(error, StoreError) else 404
            if as_json:
                return _document(status, error_document(error))
            return self._page(status, View("error.html", {"error": error}, dict), place)

    def _view(self, path: tuple[str, ...], values: Mapping[str, str]) -> View:
        match path:
            case ("",) | ("shelf",):
                return self._pages.shelf()
            case ("search",):
                return self._pages.results(values)
            case ("cite",):
                return self._pages.cite(values)
            case ("book", id):
                return self._pages.book(id)
            case ("book", id, "read"):
                return self._pages.reading(id, values)
            case ("book", id, "page", number) if number.isascii() and number.isdecimal() and len(number) < 8:
                return self._pages.page(id, int(number), values)
        raise RefusedError(404, "there is no such page")

    def _page(self, status: int, view: View, place: Address) -> Response:
        depth = len(place.path) - 1
        values = {
            **view.values,
            "root": "../" * depth or "./",
            "here": {**dict.fromkeys(CARRIED, ""), **place.values},
            "json": _json_address(place),
            "frame": self._frame(),
        }
        text = self._templates.get_template(view.template).render(values)
        return Response(status, text.encode("utf-8", "replace"), "text/html; charset=utf-8")

    def _frame(self) -> dict[str, Any]:
        try:
            return self._pages.frame()
        except AlexandriaError:  # the page itself says what is wrong
            return {"authors": [], "languages": [], "domains": [], "titles": [], "n_books": 0}

    def _picture(self, id: str, number: str) -> Response:
        if not number.isascii() or not number.isdecimal() or len(number) > 7:
            raise RefusedError(404, "there is no such page")
        try:
            return Response(200, self._pages.picture(id, int(number)), "image/png")
        except AlexandriaError as error:
            return refusal(404, str(error))

    def _model(self, request: Request) -> Response:
        """Answer a message of the Model Context Protocol: one request, one answer, and no session."""
        if request.method != "POST":
            raise RefusedError(405, "messages are sent with POST")
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _JSON:
            raise RefusedError(415, "messages are application/json")
        try:
            message = json.loads(request.body)
        except (ValueError, RecursionError):
            return _document(400, failure(None, PARSE_ERROR, "not valid JSON"))
        response = answer(message, self._tools, lambda name, given: run_tool(self._library, name, given))
        return Response(202, b"") if response is None else _document(200, response)


def _document(status: int, document: Any) -> Response:
    return Response(status, json.dumps(document, ensure_ascii=False).encode("utf-8", "replace"), _JSON)


def _asset(name: str) -> Response:
    if name not in _TYPES:
        raise RefusedError(404, "there is no such file")
    return Response(200, _read_asset(name), _TYPES[name])


@cache
def _read_asset(name: str) -> bytes:
    return files("alexandria.serve").joinpath("assets", name).read_bytes()


def _json_address(place: Address) -> str:
    """Return where the page is as JSON, relative to it."""
    from urllib.parse import quote, urlencode

    name = place.path[-1] or "shelf"
    query = urlencode(place.values, quote_via=quote)
    return f"{quote(name)}.json" + (f"?{query}" if query else "")


def _lang(tag: str | None) -> Markup:
    """Return the attribute that tells a screen reader the language; none for what is no language tag."""
    return Markup(f' lang="{tag}"') if tag and _TAG.fullmatch(tag) else Markup("")


def _closed(text: str) -> str:
    """Return a snippet without its empty lines."""
    return _EMPTY_LINES.sub("\n", text)


def _environment() -> Environment:
    environment = templates_from(PackageLoader("alexandria.serve", "assets"))
    environment.filters |= {"lang": _lang, "closed": _closed}
    return environment
