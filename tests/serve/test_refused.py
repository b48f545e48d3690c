"""Who is answered: this machine's browser with the token, and nobody else."""

import http.client
import json
import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from alexandria.doors.web.requests import HEADERS, MAX_BODY, Request
from alexandria.doors.web.routes import Site
from alexandria.doors.web.server import LibraryServer, listen
from alexandria.errors import ConfigError
from alexandria.library.library import Library
from tests.serve.conftest import PORT, TOKEN, Get

HERE = f"127.0.0.1:{PORT}"
ORIGIN = f"http://{HERE}"


@pytest.mark.parametrize(
    ("target", "headers", "status"),
    [
        pytest.param(f"/{TOKEN}/", {}, 200, id="the shelf"),
        pytest.param(f"/{TOKEN}/", {"host": f"localhost:{PORT}"}, 200, id="by name"),
        pytest.param(f"/{TOKEN}/", {"origin": f"http://{HERE}"}, 200, id="own origin"),
        pytest.param(f"/{TOKEN}/", {"sec-fetch-site": "none", "sec-fetch-mode": "navigate"}, 200, id="typed"),
        pytest.param("/", {}, 403, id="no token"),
        pytest.param("/wrong/", {}, 403, id="wrong token"),
        pytest.param(f"/{TOKEN}x/", {}, 403, id="longer token"),
        pytest.param(f"/{TOKEN[:-1]}/", {}, 403, id="shorter token"),
        pytest.param("/ſ/", {}, 403, id="token beyond ASCII"),
        pytest.param(f"//{TOKEN}/", {}, 403, id="two slashes"),
        pytest.param(f"/x/../{TOKEN}/", {}, 403, id="token after dots"),
        pytest.param(f"http://{HERE}/{TOKEN}/", {}, 400, id="whole address"),
        pytest.param(f"/{TOKEN}/", {"host": f"evil.example:{PORT}"}, 421, id="foreign host"),
        pytest.param(f"/{TOKEN}/", {"host": "127.0.0.1"}, 421, id="other port"),
        pytest.param(f"/{TOKEN}/", {"host": ""}, 421, id="no host"),
        pytest.param(f"/{TOKEN}/", {"origin": "http://evil.example"}, 403, id="foreign origin"),
        pytest.param(f"/{TOKEN}/", {"origin": "null"}, 403, id="sandboxed origin"),
        pytest.param(
            f"/{TOKEN}/",
            {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
            403,
            id="as a picture",
        ),
        pytest.param(f"/{TOKEN}/assets/../routes.py", {}, 400, id="dots"),
        pytest.param(f"/{TOKEN}/assets/%2e%2e/routes.py", {}, 400, id="encoded dots"),
        pytest.param(f"/{TOKEN}/assets/..%2froutes.py", {}, 400, id="encoded slash"),
        pytest.param(f"/{TOKEN}/assets/..\\routes.py", {}, 400, id="backslash"),
        pytest.param(f"/{TOKEN}/assets/app.css%00.png", {}, 400, id="NUL"),
        pytest.param(f"/{TOKEN}/assets/layout.html", {}, 404, id="template"),
        pytest.param(f"/{TOKEN}/assets/%2fetc%2fpasswd", {}, 400, id="absolute path"),
        pytest.param(f"/{TOKEN}/nothing", {}, 404, id="no such page"),
        pytest.param(f"/{TOKEN}/book/../../x", {}, 400, id="book of dots"),
        pytest.param(f"/{TOKEN}/book/zz", {}, 404, id="no id"),
        pytest.param(f"/{TOKEN}/book/ffffffffffff", {}, 404, id="no such book"),
        pytest.param(f"/{TOKEN}/{'x' * 9000}", {}, 400, id="long"),
        pytest.param(f"/{TOKEN}/?{'q=x&' * 51}", {}, 400, id="many values"),
    ],
)
def test_only_pages_below_the_token_are_answered(
    site: Site, target: str, headers: dict[str, str], status: int
) -> None:
    assert site.respond(Request("GET", target, {"host": HERE, **headers})).status == status


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_can_be_changed(get: Get, method: str) -> None:
    assert get("", method).status == 405


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        pytest.param("check", {"origin": ORIGIN, "content_type": "text/plain"}, 200, id="the page itself"),
        pytest.param("check.json", {"origin": ORIGIN, "content_type": "text/plain; x"}, 200, id="JSON"),
        pytest.param("check", {"content_type": "text/plain"}, 403, id="nobody says from where"),
        pytest.param("check", {"origin": "null", "content_type": "text/plain"}, 403, id="hidden"),
        pytest.param(
            "check", {"origin": "http://evil.example", "content_type": "text/plain"}, 403, id="others"
        ),
        pytest.param("check", {"origin": ORIGIN, "content_type": "text/html"}, 415, id="another type"),
        pytest.param("find", {"origin": ORIGIN, "content_type": "text/plain"}, 405, id="another page"),
    ],
)
def test_a_text_is_checked_only_for_a_page_of_ours(
    get: Get, path: str, headers: dict[str, str], status: int
) -> None:
    body = "text=“The dance is a figure of nine with a straight run”\r\n".encode()
    response = get(path, "POST", body, **headers)
    assert response.status == status
    assert (b"figure of nine" in response.body) == (status == 200)


def test_a_text_that_is_too_long_is_refused(address: str) -> None:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection("127.0.0.1", parts.port)
    headers = {"Origin": f"http://127.0.0.1:{parts.port}", "Content-Type": "text/plain"}
    length = str(4 * MAX_BODY)
    connection.request("POST", f"{parts.path}check", b"x" * MAX_BODY, {**headers, "Content-Length": length})
    for _ in range(3):  # a browser shows an answer only after it has sent everything
        time.sleep(0.05)
        connection.send(b"x" * MAX_BODY)
    assert connection.getresponse().status == 413
    connection.close()


def test_a_link_without_its_slash_leads_to_the_shelf(site: Site) -> None:
    response = site.respond(Request("GET", f"/{TOKEN}", {"host": HERE}))
    assert (response.status, response.headers["Location"]) == (308, f"/{TOKEN}/")


def test_a_library_that_cannot_be_read_is_a_page_with_the_reason(tmp_path: Path) -> None:
    with Library(tmp_path / "none") as missing:
        shelf = Site(missing, TOKEN, PORT).respond(Request("GET", f"/{TOKEN}/", {"host": HERE}))
    assert (shelf.status, shelf.type) == (503, "text/html; charset=utf-8")
    assert b"There is no library" in shelf.body


def test_over_http_every_response_has_the_policy_and_nothing_of_the_token(address: str) -> None:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection("127.0.0.1", parts.port)
    for path in (parts.path, "/wrong/", "/"):
        connection.request("GET", path)
        response = connection.getresponse()
        body = response.read().decode()
        assert {name: response.headers[name] for name in HEADERS} == HEADERS
        assert response.headers["Server"] is None
        assert parts.path not in body
    connection.request("HEAD", parts.path)
    response = connection.getresponse()
    assert (response.status, response.read()) == (200, b"")
    connection.close()


@pytest.mark.parametrize(
    "bytes_sent",
    [
        b"\r\n\r\n",
        b"GARBAGE\r\n\r\n",
        b"BREW / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 9999999999\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200 + b"\r\n",
    ],
)
def test_what_is_no_request_is_refused_and_the_server_goes_on(address: str, bytes_sent: bytes) -> None:
    parts = urlsplit(address)
    with socket.create_connection(("127.0.0.1", parts.port or 0)) as connection:
        connection.sendall(bytes_sent)
        connection.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    assert b" 200 " not in answer[:20]
    good = http.client.HTTPConnection("127.0.0.1", parts.port)
    good.request("GET", parts.path)
    assert good.getresponse().status == 200
    good.close()


@pytest.mark.parametrize("length", ["9999999999", "-1", "²", "9" * 5000])
def test_a_body_without_a_sound_length_is_refused(address: str, length: str) -> None:
    with socket.create_connection(("127.0.0.1", urlsplit(address).port or 0)) as connection:
        connection.sendall(f"POST / HTTP/1.1\r\nContent-Length: {length}\r\n\r\n".encode("latin-1"))
        assert connection.recv(4096).startswith(b"HTTP/1.1 413 ")


def test_a_port_that_is_taken_is_named(address: str, library: Library) -> None:
    with pytest.raises(ConfigError, match="cannot listen on port"):
        LibraryServer(library, urlsplit(address).port or 0)


def test_it_listens_on_this_machine_only(library: Library) -> None:
    with LibraryServer(library) as server:
        assert server._server.server_address[0] == "127.0.0.1"
    with LibraryServer(library) as other:
        assert other.address.rsplit("/", 2)[1] != server.address.rsplit("/", 2)[1]


def test_a_browser_is_shown_a_page_where_a_program_reads_a_line(get: Get, site: Site) -> None:
    request = Request("GET", "/other/", {"host": f"127.0.0.1:{PORT}", "accept": "text/html,*/*"})
    refused = site.respond(request)
    assert (refused.status, refused.type) == (403, "text/html; charset=utf-8")
    assert b"alexandria serve" in refused.body
    assert TOKEN.encode() not in refused.body
    nowhere = get("nosuch", accept="text/html")
    assert (nowhere.status, nowhere.type) == (404, "text/html; charset=utf-8")
    assert b"Back to the shelf" in nowhere.body
    told = get("book/nosuch.json")
    assert (told.status, told.type) == (404, "application/json")
    assert json.loads(told.body)["error"]["what"] == "there is no such book"


def test_a_taken_port_is_passed_over_for_the_next(library: Library) -> None:
    with LibraryServer(library) as first:
        port = urlsplit(first.address).port or 0
        with listen(library, (port, 0)) as second:
            assert second.address != first.address
        with pytest.raises(ConfigError, match="cannot listen"):
            listen(library, (port,))
