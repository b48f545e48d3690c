"""From 1.0.0 on: names, options, JSON and libraries that others rely on stay as they were, and more may come.

`promised/names.psv` and `promised/json.psv` say what was promised; PROMISES=write adds what is new. A row
leaves them only with the next major version.
"""

import inspect
import os
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

import alexandria
from alexandria.book.choices import VARIABLES
from alexandria.doors.cli import options, program
from alexandria.doors.cli.schemas import DOCUMENTS, schema_document
from alexandria.errors import Code
from alexandria.store.folder import FORMAT
from tests.conftest import ROOT

PROMISED = ROOT / "tests" / "promised"

Rows = Mapping[str, str]
"""What is promised of each name."""


def hold(name: str, found: Rows) -> None:
    """Compare with what was promised, or add what is new where PROMISES=write says so."""
    path = PROMISED / name
    promised = dict(line.split("|", 1) for line in path.read_text(encoding="utf-8").splitlines())
    if os.environ.get("PROMISES") == "write":
        promised = {**found, **promised}
        rows = (f"{name}|{what}\n" for name, what in sorted(promised.items()))
        path.write_text("".join(rows), encoding="utf-8")
    assert {name: found.get(name) for name in promised} == promised
    assert new_requirements(promised, found) == []


def new_requirements(promised: Rows, found: Rows) -> list[str]:
    """Return the arguments that a promised function had not, and cannot be called without."""
    new = (name for name in found if name not in promised and found[name].endswith("required"))
    return [name for name in new if name.partition("(")[0] in promised]


def parameters_of(path: str, function: Any) -> Iterator[tuple[str, str]]:
    """Yield what callers may write: each argument, by place or by name, and whether it can be left out."""
    for name, parameter in inspect.signature(function).parameters.items():
        if name != "self":
            required = parameter.default is parameter.empty and "VAR" not in parameter.kind.name
            yield f"{path}({name})", f"{parameter.kind.description}{', required' * required}"


def python_names() -> Iterator[tuple[str, str]]:
    for name in alexandria._NAMES:
        public = getattr(alexandria, name)
        yield name, "class" if isinstance(public, type) else "function"
        if not isinstance(public, type):
            yield from parameters_of(name, public)
            continue
        if is_dataclass(public):
            yield from ((f"{name}.{field.name}", "value") for field in fields(public))
        elif not issubclass(public, Exception):
            yield from parameters_of(name, public)
        for member, value in inspect.getmembers(public):
            if isinstance(value, property) and not member.startswith("_"):
                yield f"{name}.{member}", "value"
            elif (
                inspect.isroutine(value) and not member.startswith("_") and not issubclass(public, Exception)
            ):
                yield f"{name}.{member}", "method"
                yield from parameters_of(f"{name}.{member}", value)


def command_names(command: Any, path: str) -> Iterator[tuple[str, str]]:
    yield path, "command"
    for parameter in command.params:
        for option in (*parameter.opts, *parameter.secondary_opts):
            if option.startswith("-"):
                yield f"{path} {option}", "flag" if parameter.is_flag else "option"
    for name, inner in getattr(command, "commands", {}).items():
        yield from command_names(inner, f"{path} {name}")


def keys_of(schema: Mapping[str, Any], path: str) -> Iterator[tuple[str, str]]:
    """Yield each key of a document, with the types of its value, and whether it is always there."""
    for key, value in schema.get("properties", {}).items():
        kinds = value.get("type", "value")
        presence = "" if key in schema.get("required", ()) else ", if any"
        yield f"{path}.{key}", ("/".join(kinds) if isinstance(kinds, list) else kinds) + presence
        yield from keys_of(value, f"{path}.{key}")
    if "items" in schema:
        yield from keys_of(schema["items"], f"{path}[]")
    for choice in schema.get("anyOf", ()):
        yield from keys_of(choice, path)


def test_the_names_of_the_package_and_the_commands_stay() -> None:
    found = {
        **dict(python_names()),
        **dict(command_names(program(), "alexandria")),
        **{f"ALEXANDRIA_{name}": "environment variable" for name in VARIABLES},
        **{f"exit code {value}": name for name, value in vars(options).items() if name.startswith("EXIT_")},
        **{f"error {code}": "code" for code in Code},
    }
    hold("names.psv", found)


def test_the_keys_of_json_stay() -> None:
    hold(
        "json.psv", {path: kind for name in DOCUMENTS for path, kind in keys_of(schema_document(name), name)}
    )


def test_a_new_argument_breaks_a_promise_only_if_it_is_required() -> None:
    def before(text: str) -> None: ...
    def after(text: str, mode: str, limit: int = 10) -> None: ...

    promised = {"f": "function", **dict(parameters_of("f", before))}
    assert new_requirements(promised, {**promised, **dict(parameters_of("f", after))}) == ["f(mode)"]


@pytest.mark.parametrize("archive", sorted(PROMISED.glob("library-*.tar.xz")), ids=lambda path: path.name)
def test_a_library_of_an_earlier_version_is_read(archive: Path, tmp_path: Path) -> None:
    with alexandria.open(unpacked(archive, tmp_path)) as library:
        hit = library.search("lamp").hits[0]
        assert hit.payload["book_title"] == "Gull Rock"
        assert not library.verify().findings


@pytest.fixture
def scripts(tmp_path: Path) -> Iterator[alexandria.Library]:
    """Books in other scripts that 1.0.0 has stored: pointed, vocalised, without spaces, tagged `eng`."""
    with alexandria.open(unpacked(PROMISED / "scripts-1.tar.xz", tmp_path)) as library:
        yield library


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("किताबें", "नदी का घर"),
        ("किताबें ऊपर की कोठरी", "नदी का घर"),
        ("ตลาดน้ำ", "เรือนริมคลอง"),
        ("הַמְּנוֹרָה", "בֵּית הַמְּנוֹרָה"),
        ("הָאֳנִיָּה הָאַחֲרוֹנָה הִגִּיעָה", "בֵּית הַמְּנוֹרָה"),
        ("المَوْجُ", "مَكْتَبَةُ البَحْرِ"),
        ("كِتَابٍ بِلَا عُنْوَانٍ", "مَكْتَبَةُ البَحْرِ"),
        ("ferryman", "The Ferry Bell"),
        ("answered every letter", "The Ferry Bell"),
    ],
)
def test_books_in_other_scripts_are_found_as_1_0_0_finds_them(
    scripts: alexandria.Library, query: str, title: str
) -> None:
    assert scripts.search(query).hits[0].payload["book_title"] == title


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("किताबें ऊपर की कोठरी", "नदी का घर"),
        ("เก็บหนังสือขึ้นไปไว้", "เรือนริมคลอง"),
        ("كِتَابٍ بِلَا عُنْوَانٍ", "مَكْتَبَةُ البَحْرِ"),
        ("rang the bell himself", "The Ferry Bell"),
    ],
)
def test_quotations_of_other_scripts_are_found_as_1_0_0_finds_them(
    scripts: alexandria.Library, words: str, title: str
) -> None:
    assert scripts.find(words)[0].payload["book_title"] == title


@pytest.mark.parametrize(
    ("filters", "title"),
    [
        ({"book": "घर"}, "नदी का घर"),
        ({"book": "เรือน"}, "เรือนริมคลอง"),
        ({"book": "בֵּית"}, "בֵּית הַמְּנוֹרָה"),
        ({"author": "دَّاد"}, "مَكْتَبَةُ البَحْرِ"),
        ({"author": "moss"}, "The Ferry Bell"),
        ({"language": "eng"}, "The Ferry Bell"),
        ({"language": "en"}, "The Ferry Bell"),
        ({"language": "heb"}, "בֵּית הַמְּנוֹרָה"),
        ({"language": "he"}, "בֵּית הַמְּנוֹרָה"),
    ],
    ids=str,
)
def test_books_in_other_scripts_pass_filters_in_both_spellings(
    scripts: alexandria.Library, filters: dict[str, str], title: str
) -> None:
    assert [book.title for book in scripts.books(alexandria.Filters(**filters))] == [title]


def test_a_library_in_other_scripts_is_sound_and_can_be_changed(
    scripts: alexandria.Library, tmp_path: Path
) -> None:
    assert not scripts.verify().findings
    assert len(scripts.outdated()) == 5
    scripts.edit("The Ferry Bell", title="فِي النَّهْرِ")
    scripts.edit("घर", title="घर और नदी")
    scripts.remove("בֵּית")
    scripts.ingest(ROOT / "samples" / "gull-rock.txt")
    assert not scripts.verify().findings
    assert len(scripts.books()) == 5


def unpacked(archive: Path, folder: Path) -> Path:
    """Return the folder of the library in an archive."""
    with tarfile.open(archive) as files:
        files.extraction_filter = getattr(tarfile, "data_filter", None)  # 3.11.2 has none
        files.extractall(folder)
    return folder / "lib"


def test_the_library_of_this_format_is_among_them() -> None:
    assert (PROMISED / f"library-{FORMAT}.tar.xz").is_file()
