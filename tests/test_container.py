"""The Dockerfile and the compose file: no engine builds them here, so what can be checked without one is."""

import json
import re
import shlex
from collections.abc import Iterator
from fnmatch import fnmatch
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT

INSTRUCTIONS = {
    *("ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL", "RUN", "USER"),
    *("VOLUME", "WORKDIR"),
}
AS_JSON = {"CMD", "ENTRYPOINT", "VOLUME"}
"""Given as a list, which no shell takes apart."""

Instruction = tuple[str, str]


def parse(text: str) -> Iterator[Instruction]:
    """Yield the instructions of a Dockerfile, continued lines joined.

    Raises:
        ValueError: a line is no instruction, or one that is not closed.
    """
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    for line in re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines():
        name, _, rest = line.partition(" ")
        if name not in INSTRUCTIONS or not rest.strip():
            raise ValueError(f"no instruction: {line}")
        if name in AS_JSON and not isinstance(json.loads(rest), list):
            raise ValueError(f"no list: {line}")
        if name in ("COPY", "ENV", "RUN"):
            shlex.split(rest)  # a quote that is not closed
        yield name, rest.strip()


@pytest.fixture(scope="module")
def dockerfile() -> list[Instruction]:
    return list(parse((ROOT / "Dockerfile").read_text(encoding="utf-8")))


def test_a_damaged_dockerfile_is_noticed() -> None:
    cases = ["FORM python", "RUN", "CMD --help", 'CMD ["--help"', 'ENV NAME="value', "&& pip install ."]
    for damaged in cases:
        with pytest.raises(ValueError, match=r"."):
            list(parse(f"FROM python\n{damaged}\n"))


def test_the_image_copies_what_there_is(dockerfile: list[Instruction]) -> None:
    stages = {rest.rpartition(" ")[2] for name, rest in dockerfile if name == "FROM" and " AS " in rest}
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    sent = [line.removeprefix("!") for line in ignored if line.startswith("!")]
    assert ignored[0] == "*"
    for name, rest in dockerfile:
        if name != "COPY":
            continue
        words = shlex.split(rest)
        if words[0].startswith("--from="):
            assert words[0].removeprefix("--from=") in stages
            continue
        for source in words[:-1]:
            assert (ROOT / source).exists()
            assert any(fnmatch(source, pattern) for pattern in sent), f"{source} is not sent to the builder"


def test_what_the_package_is_built_from_is_copied(dockerfile: list[Instruction]) -> None:
    """The files that pyproject.toml names: without one of them, `pip install .` fails."""
    copied = {word for name, rest in dockerfile if name == "COPY" for word in shlex.split(rest)}
    assert {"pyproject.toml", "README.md", "LICENSE", "configs", "alexandria"} <= copied


def test_the_program_runs_as_an_ordinary_user_who_owns_the_volumes(dockerfile: list[Instruction]) -> None:
    last = max(i for i, (name, _) in enumerate(dockerfile) if name == "FROM")
    final = dockerfile[last:]
    of = dict(final)
    assert of["USER"].isdecimal()
    assert int(of["USER"]) > 0
    volumes = json.loads(of["VOLUME"])
    settings = dict(word.split("=", 1) for word in shlex.split(of["ENV"]))
    assert volumes == [settings["ALEXANDRIA_STORE"], settings["ALEXANDRIA_CACHE"]]
    owned = next(rest for name, rest in final if name == "RUN")
    assert f"--uid {of['USER']} " in owned
    assert all(volume in shlex.split(owned) for volume in volumes)
    assert json.loads(of["ENTRYPOINT"]) == ["alexandria"]


def test_the_compose_file_uses_only_what_it_declares() -> None:
    compose: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    assert set(compose) == {"services", "volumes"}
    services = compose["services"]
    for service in services.values():
        assert ("image" in service) != ("build" in service)
        assert set(service.get("depends_on", ())) <= set(services)
        for mount in service["volumes"]:
            source = mount.partition(":")[0]
            assert source.startswith("./") or source in compose["volumes"]
    assert re.fullmatch(r"qdrant/qdrant:v\d+\.\d+\.\d+", services["qdrant"]["image"])
    address = services["alexandria"]["environment"]["ALEXANDRIA_STORE"]
    assert address == "http://qdrant:6333"  # the name of the service, and Qdrant's port
