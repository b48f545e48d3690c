"""Each framework gets the passages that `Library.search` finds, in its own form."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from alexandria import Library
from alexandria.batch import RunOptions
from alexandria.config import load_domain
from alexandria.passage import Hit
from tests.conftest import ROOT, SAMPLES

QUERY = "the bees dance on the comb"
NEEDED = {"citation", "title", "page_label", "page_end", "book_id", "chunk_id", "relevance"}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library(tmp_path_factory.mktemp("retrievers") / "lib") as opened:
        books = [SAMPLES / "the-quiet-trades.epub", SAMPLES / "gull-rock.txt"]
        list(opened.ingest_files(books, load_domain(options={"model": "hashing"}), RunOptions(workers=0)))
        yield opened


@pytest.fixture
def hits(library: Library) -> tuple[Hit, ...]:
    return library.search(QUERY, limit=3, author="marlow").hits


def test_langchain_retrieves_documents_with_citations(library: Library, hits: tuple[Hit, ...]) -> None:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    from alexandria.integrations.langchain import AlexandriaRetriever

    retriever = AlexandriaRetriever(library=library, limit=3, filters={"author": "marlow"})
    documents = retriever.invoke(QUERY)
    assert [document.page_content for document in documents] == [hit.text for hit in hits]
    assert [document.metadata["citation"] for document in documents] == [hit.citation for hit in hits]
    assert set(documents[0].metadata) >= NEEDED
    json.dumps([document.metadata for document in documents])
    excerpts = AlexandriaRetriever(library=library, words=60).invoke(QUERY)
    assert sum(len(document.page_content.split()) for document in excerpts) <= 60


def test_llamaindex_retrieves_nodes_and_sends_models_little(library: Library, hits: tuple[Hit, ...]) -> None:
    pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")
    from llama_index.core.schema import MetadataMode

    from alexandria.integrations.llamaindex import AlexandriaRetriever

    results = AlexandriaRetriever(library, limit=3, filters={"author": "marlow"}).retrieve(QUERY)
    assert [result.node.get_content() for result in results] == [hit.text for hit in hits]
    assert [result.score for result in results] == [hit.score for hit in hits]
    assert set(results[0].node.metadata) >= NEEDED
    sent = results[0].node.get_content(MetadataMode.LLM)
    assert sent == f"citation: {hits[0].citation}\n\n{hits[0].text}"
    assert results[0].node.get_content(MetadataMode.EMBED) == hits[0].text


def test_haystack_runs_and_saves_it_in_a_pipeline(
    library: Library, hits: tuple[Hit, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")
    haystack = pytest.importorskip("haystack", reason="haystack-ai is not installed")
    from alexandria.integrations.haystack import AlexandriaRetriever

    own = AlexandriaRetriever(library.store, limit=3, filters={"author": "marlow"}, library=library)
    pipeline = haystack.Pipeline()
    pipeline.add_component("books", own)
    documents = pipeline.run({"books": {"query": QUERY}})["books"]["documents"]
    assert [document.content for document in documents] == [hit.text for hit in hits]
    assert [document.score for document in documents] == [hit.score for hit in hits]
    assert set(documents[0].meta) >= NEEDED
    again = haystack.Pipeline.loads(
        pipeline.dumps(), allowed_modules=[AlexandriaRetriever.__module__]
    ).get_component("books")
    assert (again.store, again.limit, again.filters) == (library.store, 3, {"author": "marlow"})
    pipeline.close()  # which closes only what the component has opened
    assert len(own.run(QUERY, limit=1, filters={})["documents"]) == 1


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [
        ("langchain", "langchain_core", "langchain"),
        ("llamaindex", "llama_index", "llamaindex"),
        ("haystack", "haystack", "haystack"),
    ],
)
def test_a_framework_that_is_missing_is_named(module: str, package: str, extra: str) -> None:
    script = (
        "import importlib.util as u; find = u.find_spec\n"
        f"u.find_spec = lambda name, *a: None if name == {package!r} else find(name, *a)\n"
        "from alexandria.errors import ConfigError\n"
        f"try:\n    import alexandria.integrations.{module}\n"
        "except ConfigError as error:\n    print(error.why, '|', error.fix)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"{package.replace('_', '-')} is not installed | ")
    assert f"[{extra}]" in done.stdout


def test_nothing_imports_a_framework_unasked() -> None:
    frameworks = ("langchain_core", "llama_index", "haystack")
    script = f"import sys, alexandria.library.library; print([m for m in {frameworks} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def recipes() -> list[str]:
    page = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(
    ("recipe", "package"),
    list(zip(recipes(), ["langchain_core", "llama_index.core", "haystack", "qdrant_client"], strict=True)),
    ids=["langchain", "llamaindex", "haystack", "qdrant"],
)
@pytest.mark.model
def test_the_recipes_run_as_they_are_written(
    recipe: str,
    package: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")
    pytest.importorskip(package, reason=f"{package} is not installed")
    monkeypatch.chdir(tmp_path)
    store = "local:my-local-library" if "my-local" in recipe else "my-library"
    with Library(store) as library:
        library.ingest(SAMPLES / "the-quiet-trades.epub")
    exec(compile(recipe, "docs/integrations.md", "exec"), {})
    assert "Before the kettle has boi" in capsys.readouterr().out
