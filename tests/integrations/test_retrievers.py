"""Each framework gets the passages that `Library.search` finds, in its own form."""

import asyncio
import json
import pickle
import re
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from alexandria import Library
from alexandria.chunking.domains import load_domain
from alexandria.errors import ConfigError
from alexandria.library.ingest.options import RunOptions
from alexandria.store.passage import Hit
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


def langchain(library: Any, **options: Any) -> Any:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    from alexandria.integrations.langchain import AlexandriaRetriever

    return AlexandriaRetriever(library=library, **options)


def llamaindex(library: Any, *, k: int = 5, **options: Any) -> Any:
    pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")
    from alexandria.integrations.llamaindex import AlexandriaRetriever

    return AlexandriaRetriever(library, limit=k, **options)


def haystack(library: Any, *, k: int = 5, **options: Any) -> Any:
    pytest.importorskip("haystack", reason="haystack-ai is not installed")
    from alexandria.integrations.haystack import AlexandriaRetriever

    if isinstance(library, Library):
        return AlexandriaRetriever(library.store, limit=k, library=library, **options)
    return AlexandriaRetriever(library, limit=k, **options)


@dataclass(frozen=True)
class Framework:
    """How a framework makes a retriever and calls it, and what it gets: (text, metadata, score)."""

    make: Callable[..., Any]
    ask: Callable[[Any, str], list[Any]]
    ask_async: Callable[[Any, str], Awaitable[Any]]
    read: Callable[[Any], tuple[str, dict[str, Any], float | None]]


FRAMEWORKS = {
    "langchain": Framework(
        langchain,
        lambda retriever, query: list(retriever.invoke(query)),
        lambda retriever, query: retriever.ainvoke(query),
        lambda document: (document.page_content, document.metadata, document.metadata["score"]),
    ),
    "llamaindex": Framework(
        llamaindex,
        lambda retriever, query: list(retriever.retrieve(query)),
        lambda retriever, query: retriever.aretrieve(query),
        lambda found: (found.node.get_content(), found.node.metadata, found.score),
    ),
    "haystack": Framework(
        haystack,
        lambda retriever, query: list(retriever.run(query)["documents"]),
        lambda retriever, query: retriever.run_async(query),
        lambda document: (document.content, document.meta, document.score),
    ),
}


def library_of(retriever: Any) -> Library:
    """Return the library of a retriever, which a program closes by itself, or leaves open to its end."""
    opened: Library = getattr(retriever, "library", None) or retriever._library
    return opened


EVERY_FRAMEWORK = pytest.mark.parametrize("framework", FRAMEWORKS.values(), ids=list(FRAMEWORKS))


@pytest.fixture(autouse=True)
def _no_telemetry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")


@EVERY_FRAMEWORK
def test_a_framework_gets_what_the_library_finds(
    framework: Framework, library: Library, hits: tuple[Hit, ...]
) -> None:
    retriever = framework.make(library, k=3, filters={"author": "marlow"})
    found = [framework.read(document) for document in framework.ask(retriever, QUERY)]
    assert [text for text, _, _ in found] == [hit.text for hit in hits]
    assert [score for _, _, score in found] == [hit.relevance for hit in hits]
    assert [metadata["citation"] for _, metadata, _ in found] == [hit.citation for hit in hits]
    assert set(found[0][1]) >= NEEDED
    json.dumps([metadata for _, metadata, _ in found])
    excerpts = framework.ask(framework.make(library, words=60), QUERY)
    assert sum(len(framework.read(document)[0].split()) for document in excerpts) <= 60


@EVERY_FRAMEWORK
def test_a_copy_of_a_retriever_answers_the_same(framework: Framework, library: Library) -> None:
    retriever = framework.make(library, k=2)
    expected = framework.ask(retriever, QUERY)
    for again in (pickle.loads(pickle.dumps(retriever)), deepcopy(retriever)):
        answer = framework.ask(again, QUERY)
        library_of(again).close()
        assert list(map(framework.read, answer)) == list(map(framework.read, expected))


@EVERY_FRAMEWORK
def test_a_retriever_takes_the_place_of_a_library(framework: Framework, library: Library) -> None:
    for place in (library.store, Path(library.store)):
        retriever = framework.make(place, k=2)
        assert len(framework.ask(retriever, QUERY)) == 2
        library_of(retriever).close()


@EVERY_FRAMEWORK
def test_concurrent_questions_do_not_hold_up_the_event_loop(framework: Framework, library: Library) -> None:
    retriever = framework.make(library, k=2)
    framework.ask(retriever, QUERY)  # opens the library
    stalls: list[float] = []

    async def watch() -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.001)
            stalls.append(time.perf_counter() - before)

    async def ask_all() -> list[Any]:
        watcher = asyncio.create_task(watch())
        answers = await asyncio.gather(*(framework.ask_async(retriever, QUERY) for _ in range(20)))
        watcher.cancel()
        return list(answers)

    assert len(asyncio.run(ask_all())) == 20
    # If a search ran in the loop, `watch` would not get a turn between two of them. The longest stall is left
    # out: other processes may hold up this one.
    assert len(stalls) > 20
    assert sorted(stalls)[-2] < 0.1


@EVERY_FRAMEWORK
def test_a_number_out_of_range_is_refused(framework: Framework, library: Library) -> None:
    with pytest.raises(ConfigError, match="limit cannot be 0"):
        framework.ask(framework.make(library, k=0), QUERY)


@pytest.mark.parametrize(
    ("name", "scheme"),
    [("langchain", ""), ("langchain", "local:"), ("llamaindex", "local:"), ("haystack", "")],
)
def test_a_program_that_leaves_its_library_open_ends_without_a_word(
    name: str, scheme: str, tmp_path: Path
) -> None:
    FRAMEWORKS[name].make(store := f"{scheme}{tmp_path / 'lib'}")  # or skips, if it is not installed
    with Library(store) as opened:
        list(
            opened.ingest_files(
                [SAMPLES / "gull-rock.txt"], load_domain(options={"model": "hashing"}), RunOptions(workers=0)
            )
        )
    script = (
        "import sys\nfrom tests.integrations.test_retrievers import FRAMEWORKS\n"
        f"framework = FRAMEWORKS[{name!r}]\nretriever = framework.make({store!r}, k=1)\n"
        "sys.modules['kept'] = cycle = [retriever]\ncycle.append(cycle)\n"  # as a chain keeps it to the end
        "print(len(framework.ask(retriever, 'the light on the rock')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_langchain_refuses_names_that_it_does_not_know(library: Library) -> None:
    retriever = langchain(library)
    with pytest.raises(TypeError, match="limit"):
        retriever.invoke(QUERY, limit=1)
    with pytest.raises(TypeError, match="limit"):
        retriever.bind(limit=1).invoke(QUERY)
    for wrong in ({"limit": 3}, {"limits": 3}):
        with pytest.raises(ValueError, match="limit"):
            langchain(library, **wrong)
    with pytest.raises(ConfigError, match="library cannot be of the type int"):
        langchain(5)


def test_a_retriever_of_langchain_is_written_as_json_and_read_again(library: Library) -> None:
    retriever = langchain(library, k=2, filters={"author": "marlow"})
    again = type(retriever).model_validate_json(retriever.model_dump_json())
    assert again.invoke(QUERY) == retriever.invoke(QUERY)
    again.library.close()
    assert [len(retriever.bind(k=1).invoke(QUERY)), len(retriever.invoke(QUERY))] == [1, 2]


def test_a_node_of_llamaindex_knows_its_book_and_sends_models_little(
    library: Library, hits: tuple[Hit, ...]
) -> None:
    retriever = llamaindex(library, k=3, filters={"author": "marlow"})
    from llama_index.core.callbacks import CallbackManager
    from llama_index.core.schema import MetadataMode

    node = retriever.retrieve(QUERY)[0].node
    assert (node.ref_doc_id, node.start_char_idx, node.end_char_idx) == (
        hits[0].book_id,
        hits[0].start,
        hits[0].end,
    )
    assert node.get_content(MetadataMode.LLM) == f"citation: {hits[0].citation}\n\n{hits[0].text}"
    assert node.get_content(MetadataMode.EMBED) == hits[0].text
    manager = CallbackManager()
    assert llamaindex(library, callback_manager=manager).callback_manager is manager


def test_haystack_runs_and_saves_it_in_a_pipeline(library: Library, hits: tuple[Hit, ...]) -> None:
    own = haystack(library, k=3, filters={"author": "marlow"})
    from haystack import Pipeline

    pipeline = Pipeline()
    pipeline.add_component("books", own)
    documents = pipeline.run({"books": {"query": QUERY}})["books"]["documents"]
    assert [document.content for document in documents] == [hit.text for hit in hits]
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=[type(own).__module__]).get_component("books")
    assert (again.store, again.limit, again.filters) == (library.store, 3, {"author": "marlow"})
    pipeline.close()  # which closes only what the component has opened
    assert len(own.run(QUERY, limit=1, filters={})["documents"]) == 1
    with pytest.raises(ConfigError, match="limit cannot be 0"):
        own.run(QUERY, limit=0)
    from_path = haystack(Path(library.store))
    assert from_path.to_dict()["init_parameters"]["store"] == library.store


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
