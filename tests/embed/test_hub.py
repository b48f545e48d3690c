"""Models of the hub, from a stand-in that states their hashes: complete, as stated, and without code."""

import json
import sys
from collections.abc import Iterator
from hashlib import sha1, sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import CompletedProcess, run
from threading import Thread

import pytest

from alexandria.embed.graph.blueprint import Kind
from tests.embed.tiny import write_model

pytest.importorskip("huggingface_hub")
NAME, REVISION = "somebody/small", "0" * 40


class Hub(BaseHTTPRequestHandler):
    """A hub with one model, from a folder."""

    folder: Path
    stated: str | None = None
    """The hash that it states for the weights; by default, theirs."""
    asked: list[str]

    def do_HEAD(self) -> None:
        """Answer with the head of a file."""
        self.do_GET()

    def do_GET(self) -> None:
        """Answer with the facts of the model, or with a file."""
        path = self.path.partition("?")[0]
        self.asked.append(path)
        if path.startswith(f"/api/models/{NAME}"):
            facts = self._files() if "/tree/" in path else self._facts()
            self._send(json.dumps(facts).encode(), {"Content-Type": "application/json"})
        elif (file := self.folder / path.removeprefix(f"/{NAME}/resolve/{REVISION}/")).is_file():
            content = file.read_bytes()
            etag = sha256(content) if file.suffix == ".safetensors" else sha1(content)
            self._send(content, {"ETag": f'"{etag.hexdigest()}"', "X-Repo-Commit": REVISION})
        else:
            self.send_error(404)

    def _files(self) -> list[dict[str, object]]:
        files: list[dict[str, object]] = []
        for file in sorted(path for path in self.folder.rglob("*") if path.is_file()):
            name, size = str(file.relative_to(self.folder)), file.stat().st_size
            row: dict[str, object] = {
                "type": "file",
                "path": name,
                "rfilename": name,
                "size": size,
                "oid": "0",
            }
            if file.suffix == ".safetensors":
                hashed = self.stated or sha256(file.read_bytes()).hexdigest()
                row["lfs"] = {"sha256": hashed, "oid": hashed, "size": size, "pointerSize": 130}
            files.append(row)
        return files

    def _facts(self) -> dict[str, object]:
        facts = {"id": NAME, "modelId": NAME, "sha": REVISION, "private": False, "tags": []}
        return facts | {"siblings": self._files()}

    def _send(self, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(200)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Hub]]:
    class Own(Hub):
        folder = write_model(Kind.BERT, tmp_path / "served")
        asked: list[str] = []  # noqa: RUF012  # one per test

    (Own.folder / "modeling.py").write_text("raise SystemExit('code was run')")
    (Own.folder / "pytorch_model.bin").write_bytes(b"the same weights")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Own)
    Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("ALEXANDRIA_MODELS", str(tmp_path / "models"))
    yield Own
    server.shutdown()
    server.server_close()


def alexandria(*words: str) -> CompletedProcess[str]:
    """Run a command in a process of its own: the library of the hub reads its environment when imported."""
    command = [sys.executable, "-m", "alexandria", *words]
    return run(command, capture_output=True, text=True, check=False)


def test_a_model_of_the_hub_is_installed_without_code_and_then_found(hub: type[Hub], tmp_path: Path) -> None:
    done = alexandria("models", "install", NAME)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "models" / NAME
    names = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert {"modules.json", "model.safetensors", "1_Pooling/config.json"} <= names
    assert not any(name.endswith((".py", ".bin")) for name in names)
    hub.asked.clear()
    tested = alexandria("models", "test", NAME, "--json")
    assert json.loads(tested.stdout)["folder"] == str(folder)
    assert alexandria("models", "install", NAME).returncode == 0  # it is there
    assert not hub.asked


def test_a_file_that_is_not_the_stated_one_is_refused(hub: type[Hub], tmp_path: Path) -> None:
    hub.stated = "1" * 64
    refused = alexandria("models", "install", NAME)
    assert refused.returncode == 2
    assert "model.safetensors of somebody/small is not the file that the hub states" in refused.stderr
    assert not (tmp_path / "models" / NAME).exists()
    hub.stated = None
    (hub.folder / "model.safetensors").unlink()
    assert "it has no model*.safetensors" in alexandria("models", "install", NAME).stderr
    assert "cannot be downloaded" in alexandria("models", "install", "nobody/nothing").stderr
    assert not list((tmp_path / "models").rglob("*.new"))


def test_a_folder_is_neither_installed_nor_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALEXANDRIA_MODELS", str(tmp_path / "models"))
    kept = write_model(Kind.BERT, tmp_path / "mine")
    for name in (str(kept), "../mine", ".", "models/../../mine", ".hidden"):
        refused = alexandria("models", "install", name, "--force")
        assert refused.returncode == 2
        assert "not the name of a model on the hub" in refused.stderr
    assert (kept / "model.safetensors").is_file()
