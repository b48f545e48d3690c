"""Every public name does what it says, and importing one part never replaces another."""

import inspect
import pydoc
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest
from numpy.typing import NDArray

import alexandria
from alexandria.chunking import STRATEGIES
from tests.conftest import ROOT

PACKAGE = Path(alexandria.__file__).parent
TEXT = "\n\n".join(
    [
        "Bees dance in the hive. The dance tells where the flowers are. Each turn has its meaning.",
        "  The tide turns twice a day. A spring tide runs highest after the new moon. Sailors know it.",
        "Cabbages are sown in March. Nets keep the butterfly away.\nThe heads close in June.",
    ]
)


def test_what_plug_ins_import_stays_where_it_was() -> None:
    from alexandria.book import Block, BlockKind, Book, Boundary, Chunk, Metadata, Segmentation
    from alexandria.chunking.strategy import Strategy
    from alexandria.embed import load_encoder
    from alexandria.extract import FORMATS, Format, ReadOptions
    from alexandria.extract.draft import Draft

    assert (Book, Chunk) == (alexandria.Book, alexandria.Chunk)
    assert all((Block, BlockKind, Boundary, Metadata, Segmentation, Strategy, Format, ReadOptions, Draft))
    assert "epub" in FORMATS
    assert load_encoder("hashing").dim == 384


def test_what_the_embed_package_had_works_as_before() -> None:
    from alexandria.embed import begin_encoding, encode_queries, knows, load_encoder, precision_of

    encoder = load_encoder("hashing")
    rows = encoder.encode(["ice"])
    assert np.array_equal(begin_encoding(encoder, ["ice"])(), rows)
    assert np.array_equal(encode_queries(encoder, ["ice"]), rows)
    assert knows(encoder, "ice") == encoder.knows("ice")
    assert precision_of(encoder) is None


@pytest.fixture
def book(tmp_path: Path) -> Path:
    file = tmp_path / "garden.txt"
    file.write_text(TEXT)
    return file


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALEXANDRIA_MODEL", "hashing")


@pytest.mark.parametrize("name", alexandria._NAMES)
def test_every_public_name_is_there_with_a_docstring_and_is_listed(name: str) -> None:
    assert getattr(alexandria, name).__doc__
    assert name in dir(alexandria)


def test_every_public_function_and_method_is_used_by_a_test() -> None:
    tests = "\n".join(file.read_text(encoding="utf-8") for file in sorted(ROOT.glob("tests/**/*.py")))
    public = {name: getattr(alexandria, name) for name in alexandria._NAMES}
    classes = [one for one in public.values() if isinstance(one, type)]
    functions = [name for name, one in public.items() if not isinstance(one, type)]
    methods = {
        f"{one.__name__}.{name}": rf"\.{name}\b" + ("" if isinstance(value, property) else r"\(")
        for one in classes
        if not issubclass(one, str | Exception)
        for name, value in inspect.getmembers_static(one)
        if not name.startswith("_") and isinstance(value, FunctionType | classmethod | property)
    }
    uses = {**{name: rf"\b{name}\(" for name in functions}, **methods}
    assert {"chunk", "Library.search", "Passage.citation"} <= set(uses)
    unused = [name for name, use in uses.items() if not re.search(use, tests)]
    assert " ".join(unused) == ""


def test_help_on_the_package_is_two_screens_that_name_everything() -> None:
    text = pydoc.plain(pydoc.render_doc(alexandria))
    assert len(text.splitlines()) <= 100
    described = text.split("PACKAGE CONTENTS")[0]
    assert [name for name in alexandria._NAMES if not re.search(rf"\b{name}\b", described)] == []


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'find'"):
        alexandria.find  # noqa: B018  # the mistake itself


def test_no_module_has_the_name_of_a_public_function() -> None:
    modules = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert modules & set(alexandria._NAMES) == set()


@pytest.mark.parametrize(
    "calls",
    [
        ["ingest([book], store=store)", "search('bees', store=store)", "inspect(book)"],
        ["inspect(book)", "ingest([book], store=store)", "search('bees', store=store)"],
        [
            "chunk('Bees dance.')",
            "ingest([book], store=store)",
            "inspect(book)",
            "search('bees', store=store)",
        ],
    ],
    ids=["ingest first", "inspect first", "chunk first"],
)
def test_the_functions_can_be_called_in_any_order_in_one_process(
    calls: list[str], book: Path, tmp_path: Path
) -> None:
    lines = [
        "import alexandria",
        f"book, store = {str(book)!r}, {str(tmp_path / 'library')!r}",
        *(f"assert alexandria.{call}" for call in calls),
        *(f"assert alexandria.{call}" for call in reversed(calls)),
    ]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_ingest_then_search_with_filters(book: Path, tmp_path: Path) -> None:
    store = str(tmp_path / "library")
    (outcome,) = alexandria.ingest([book], store=store, options={"min_words": 5})
    assert outcome.error is None
    hits = alexandria.search("the tide", store=store, limit=1, book="garden", context=1)
    assert isinstance(hits[0], alexandria.Hit)
    assert isinstance(hits[0], alexandria.Passage)
    assert "tide" in hits[0].text
    with pytest.raises(alexandria.ConfigError, match="no book has the author 'nobody'"):
        alexandria.search("the tide", store=store, author="nobody")


@pytest.mark.parametrize(
    ("options", "message"),
    [({"mode": "fast"}, "unknown mode 'fast'"), ({"colour": "red"}, "unknown argument 'colour'")],
)
def test_a_mistaken_argument_is_a_config_error(options: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(alexandria.ConfigError, match=message) as error:
        alexandria.search("tide", store=str(tmp_path), **options)  # type: ignore[arg-type]  # the mistake
    assert isinstance(error.value, alexandria.AlexandriaError)


def test_searching_where_nothing_was_ingested_is_a_store_error(tmp_path: Path) -> None:
    with pytest.raises(alexandria.StoreError, match="there is no library"):
        alexandria.search("tide", store=str(tmp_path / "none"))


def test_inspect_reads_and_cuts_a_file(book: Path) -> None:
    analysis = alexandria.inspect(book, options={"min_words": 5})
    assert isinstance(analysis.book, alexandria.Book)
    assert all(isinstance(one, alexandria.Chunk) for one in analysis.chunks)
    with pytest.raises(alexandria.BookError, match="cannot find"):
        alexandria.inspect(book.with_name("gone.txt"))


def test_open_returns_a_library_and_takes_the_settings_of_a_server(tmp_path: Path) -> None:
    with alexandria.open(tmp_path / "library", server=alexandria.Server(timeout=5)) as library:
        assert isinstance(library, alexandria.Library)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_chunk_cuts_a_text_with_every_strategy(strategy: str) -> None:
    small = {"min_words": 5, "max_words": 20, "overlap_words": 0}
    own = {one.name for one in fields(STRATEGIES[strategy])}
    options = {name: value for name, value in small.items() if name in own}
    chunks = alexandria.chunk(TEXT, strategy=strategy, **options)  # type: ignore[arg-type]  # options alone
    assert len(chunks) > 1
    assert [TEXT[one.start : one.end] for one in chunks] == [one.text for one in chunks]
    assert "".join("".join(one.text.split()) for one in chunks) == "".join(TEXT.split())
    first, *others = chunks
    assert first.boundary is None
    for one in others:
        assert one.boundary is not None
        assert -1 <= one.boundary.similarity <= 1
        assert one.boundary.reason in ("topic", "max_size")


class ByFirstWord:
    """A model whose rows, of length 3, depend on a sentence's first word alone."""

    def encode(self, sentences: list[str], /) -> NDArray[np.float64]:
        words = sorted({sentence.split()[0] for sentence in sentences})
        return 3.0 * np.eye(len(words))[[words.index(sentence.split()[0]) for sentence in sentences]]


def test_chunk_takes_options_and_a_model_of_the_callers_own() -> None:
    text = "Cats purr. Cats sleep.\n\nStocks fell! Stocks rose?"
    chunks = alexandria.chunk(
        text, encoder=ByFirstWord(), threshold=0.4, min_words=2, short_paragraph_cost=0.0
    )
    assert [one.text for one in chunks] == ["Cats purr. Cats sleep.", "Stocks fell! Stocks rose?"]
    boundary = chunks[1].boundary
    assert boundary is not None
    assert (boundary.gap, boundary.similarity, boundary.threshold, boundary.reason) == (1, 0.0, 0.4, "topic")


@pytest.mark.parametrize("ornament", ["\n\n* * *\n\n", "\n\n---\n\n", "\n***\n", "\n\n⁂\n\n"])
def test_an_ornament_in_a_text_is_no_sentence(ornament: str) -> None:
    text = f"Cats purr. Cats sleep.{ornament}Stocks fell! Stocks rose?"
    chunks = alexandria.chunk(
        text, strategy="universal-semantic", encoder=ByFirstWord(), threshold=0.4, min_words=2
    )
    assert [one.text for one in chunks] == ["Cats purr. Cats sleep.", "Stocks fell! Stocks rose?"]
    (whole,) = alexandria.chunk(
        text, strategy="universal-semantic", encoder=ByFirstWord(), threshold=0.4, min_words=99
    )
    assert (whole.text, whole.n_sentences) == (text, 4)


@pytest.mark.parametrize("text", ["", " \n\n "])
def test_a_text_without_words_has_no_chunks(text: str) -> None:
    assert alexandria.chunk(text) == []


def test_an_unknown_option_of_chunk_is_a_config_error() -> None:
    with pytest.raises(alexandria.ConfigError, match="unknown option 'colour'"):
        alexandria.chunk("One.", colour="red")


def test_the_class_of_the_specification_is_public() -> None:
    (chunk,) = alexandria.UniversalChunker(ByFirstWord()).chunk("Only one.")
    assert chunk["text"] == "Only one."


def test_what_a_search_a_list_or_an_ingest_takes_and_returns_is_public() -> None:
    names = ("Chapter", "Filters", "Hit", "Outcome", "Passage", "Places", "Record", "Results")
    methods = ("search", "books", "book", "contents", "ingest", "find", "read")
    signatures = " ".join(str(inspect.signature(getattr(alexandria.Library, name))) for name in methods)
    assert {name for name in names if re.search(rf"\b{name}\b", signatures)} >= {*names} - {"Hit"}
    assert set(names) <= set(alexandria._NAMES)
