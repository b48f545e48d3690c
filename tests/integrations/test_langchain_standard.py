"""The tests that LangChain publishes for retrievers, as they are."""

from collections.abc import Iterator
from typing import Any

import pytest

from alexandria import Library
from alexandria.chunking.domains import load_domain
from alexandria.library.ingest.options import RunOptions
from tests.conftest import SAMPLES

standard = pytest.importorskip("langchain_tests.integration_tests", reason="langchain-tests is not installed")

_OPENED: list[Library] = []


@pytest.fixture(scope="module", autouse=True)
def _library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with Library(tmp_path_factory.mktemp("standard")) as library:
        domain = load_domain(options={"model": "hashing"})
        list(library.ingest_files([SAMPLES / "the-quiet-trades.epub"], domain, RunOptions(workers=0)))
        _OPENED.append(library)
        yield
    _OPENED.clear()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.anyio
class TestRetriever(standard.RetrieversIntegrationTests):  # type: ignore[misc,name-defined]  # it may be missing
    @property
    def retriever_constructor(self) -> Any:
        from alexandria.integrations.langchain import AlexandriaRetriever

        return AlexandriaRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"library": _OPENED[0]}

    @property
    def retriever_query_example(self) -> str:
        return "the bees dance on the comb"
