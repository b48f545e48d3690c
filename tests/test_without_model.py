"""Without weights on this machine, strategies that need none cut, and a library is searched by words."""

import logging
from pathlib import Path

import pytest

import alexandria
from alexandria.book.choices import NO_MODEL
from alexandria.chunking import STRATEGIES
from alexandria.embed import NoEncoder
from alexandria.errors import ConfigError, StoreError
from alexandria.library.ingest.encoder import cuts_without_vectors
from tests.command import alexandria as command

TEXT = "\n\n".join(
    f"{what} are sown in {month}. Nets keep the birds away. The rows are weeded each week."
    for what, month in [("Cabbages", "March"), ("Leeks", "April"), ("Beans", "May"), ("Parsnips", "June")]
)
BY_SIZE = [name for name, strategy in STRATEGIES.items() if cuts_without_vectors(strategy())]


@pytest.fixture(autouse=True)
def no_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("alexandria.embed.models.packaged.places", lambda: iter(()))
    monkeypatch.setattr("alexandria.library.ingest.encoder._WARNED_STRATEGIES", set())


@pytest.fixture
def book(tmp_path: Path) -> Path:
    file = tmp_path / "garden.txt"
    file.write_text(TEXT)
    return file


def test_these_strategies_need_no_model() -> None:
    assert BY_SIZE == ["smoothed", "recursive", "fixed"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_text_is_cut_by_size_or_the_model_is_asked_for(
    strategy: str, caplog: pytest.LogCaptureFixture
) -> None:
    if strategy not in BY_SIZE:
        with pytest.raises(ConfigError, match="cannot find the model") as caught:
            alexandria.chunk(TEXT, strategy=strategy)
        assert caught.value.fix == "alexandria models install; or --strategy recursive, which needs no model"
        return
    with caplog.at_level(logging.WARNING):
        options = {"max_words": 20, **({} if strategy == "smoothed" else {"overlap_words": 0})}
        chunks = alexandria.chunk(TEXT, strategy=strategy, **options)  # type: ignore[arg-type]  # options alone
        alexandria.chunk(TEXT, strategy=strategy, **options)  # type: ignore[arg-type]  # options alone
    assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join(TEXT.split())
    assert max(chunk.word_count for chunk in chunks) <= 20
    (said,) = caplog.messages
    assert said.startswith(f"note: {strategy} cuts by size alone")


def test_smoothed_without_its_fallback_asks_for_the_model() -> None:
    with pytest.raises(ConfigError, match="cannot find the model"):
        alexandria.chunk(TEXT, strategy="smoothed", fallback_to_recursive=False)


@pytest.mark.parametrize("strategy", ["optimal", "centroid"])
def test_no_model_is_refused_where_one_is_needed(strategy: str) -> None:
    with pytest.raises(ConfigError, match=f"cannot cut by {strategy} without a model") as caught:
        alexandria.chunk(TEXT, strategy=strategy, model=NO_MODEL)
    assert "--strategy recursive" in caught.value.fix


@pytest.mark.parametrize("prefix", ["", "local:"])
def test_a_library_without_vectors_is_searched_by_words(prefix: str, book: Path, tmp_path: Path) -> None:
    store = f"{prefix}{tmp_path / 'library'}"
    options = {"strategy": "recursive", "max_words": 20, "overlap_words": 0}
    with alexandria.open(store) as library:
        (outcome,) = library.ingest([book], options=options)
        assert (outcome.status, outcome.n_chunks) == ("ingested", 4)
        (record,) = library.books()
        assert (record.settings["model"], record.settings["sentence_vectors"]) == (NO_MODEL, False)
        hits = library.search("leeks", limit=2)
        assert [hit.text.split()[0] for hit in hits] == ["Leeks"]
        assert hits[0].payload["vector_coverage"] == 0
        assert [hit.text for hit in library.search("when are leeks sown", words=5)] == [
            "Leeks are sown in April."
        ]
        (remark,) = library.search("zebras").remarks
        assert "without a model" in remark
        for mode in ("dense", "sentences"):
            with pytest.raises(ConfigError, match=f"cannot search in the mode {mode}"):
                library.search("leeks", mode=mode)
        assert library.verify().findings == ()
        assert [chunk.chunk_id for chunk in library.chunks("garden")] == [0, 1, 2, 3]
    with alexandria.open(store) as library:
        assert [one.status for one in library.ingest([book], options=options)] == ["unchanged"]
        assert [one.status for one in library.ingest([book], options={"model": NO_MODEL, **options})] == [
            "unchanged"
        ]


def test_a_library_without_vectors_takes_none_later(book: Path, tmp_path: Path) -> None:
    store = str(tmp_path / "library")
    alexandria.ingest([book], store=store, options={"strategy": "fixed"})
    with pytest.raises(StoreError, match="words alone") as caught:
        alexandria.ingest([book], store=store, options={"model": "hashing", "strategy": "fixed"})
    assert "--set model=none" in caught.value.fix
    other = str(tmp_path / "other")
    alexandria.ingest([book], store=other, options={"model": "hashing"})
    with pytest.raises(StoreError, match="these settings use words alone"):
        alexandria.ingest([book], store=other, options={"strategy": "fixed", "model": NO_MODEL})


def test_inspect_shows_cuts_without_similarities(book: Path) -> None:
    sizes = ("--set", "max_words=20", "--set", "overlap_words=0")
    done = command("inspect", book, "-s", "fixed", *sizes, env={"ALEXANDRIA_MODEL": "all-MiniLM-L6-v2"})
    assert done.returncode == 0
    assert "no similarities: no model compared the sentences" in done.stdout
    assert "── Full: 20 words at most." in done.stdout
    assert "0.00" not in done.stdout
    assert "fixed cuts by size alone" in done.stderr


def test_no_encoder_gives_rows_without_dimensions() -> None:
    encoder = NoEncoder()
    assert encoder.encode(["A.", "B."]).shape == (2, 0)
    assert encoder.coverage(["A."]).tolist() == [1.0]
