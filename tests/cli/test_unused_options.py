"""Options that would have no effect are refused before the work begins."""

from pathlib import Path

import pytest

from tests.command import alexandria


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(
            "inspect x --store lib --threshold .3", "--threshold would have", id="stored, threshold"
        ),
        pytest.param("inspect x --store lib --ocr off --no-cache", "--ocr and --no-cache would", id="stored"),
        pytest.param("inspect x.txt --collection films", "a file is in no library", id="file, collection"),
        pytest.param("inspect x.txt -s fixed --compare a,b", "names every strategy", id="strategy, compare"),
        pytest.param("inspect x --json --chunk 3", "always show the whole book", id="json, chunk"),
        pytest.param("inspect x --html p.html --around 3", "--around would have", id="page, around"),
        pytest.param("inspect x --open --chapter y", "--chapter would have", id="page, chapter"),
        pytest.param("inspect x --json --all-gaps", "--all-gaps would have", id="json, gaps"),
        pytest.param("inspect x --chunk 3 --all-gaps", "cut by one strategy", id="chunk, gaps"),
        pytest.param("inspect x.txt --compare a,b --all-gaps", "cut by one strategy", id="compare, gaps"),
        pytest.param("extract x --json --text", "--text would have", id="extract"),
        pytest.param("extract x --json --left-out", "counts what was left out", id="extract, left out"),
        pytest.param("search x --json --cite", "--cite would have", id="search, json"),
        pytest.param("search x --cite --context 1", "--context would have", id="search, cite"),
        pytest.param("search x --style apa", "--style would have", id="search, style"),
        pytest.param("list --style apa", "--style would have", id="list, style"),
        pytest.param(
            "list --cite --format ris --style apa", "ris has all fields, in no style", id="list, cite"
        ),
        pytest.param("list --format html", "or add --cite", id="list, html"),
        pytest.param("list --format csl-citation", "alexandria cite HIT", id="list, citation"),
        pytest.param("search x --words 90 --full", "--full would have", id="search, words"),
        pytest.param("read x --chapter y --context 1", "--context would have", id="read"),
        pytest.param("inspect abcdef12-40 --chunk 0", "shows one passage", id="hit, chunk"),
        pytest.param("ingest x --watch --retry-failed", "--retry-failed would have", id="watch"),
        pytest.param("ingest x --ray local --workers 4", "the cluster of --ray decides", id="ray, workers"),
        pytest.param("evaluate quality x --markdown --json", "--json prints no tables", id="markdown"),
        pytest.param("tune x --objective sections --mode dense", "asks no questions", id="sections"),
    ],
)
def test_an_option_that_would_have_no_effect_is_refused_before_the_work(
    words: str, message: str, tmp_path: Path
) -> None:
    done = alexandria(*words.split(), cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert "leave out" in done.stderr


def test_what_only_the_environment_sets_is_accepted(tmp_path: Path) -> None:
    env = {"ALEXANDRIA_DOMAIN": "history", "ALEXANDRIA_OCR": "off", "ALEXANDRIA_COLLECTION": "books"}
    for source in (("x", "--store", "lib"), ("x.txt",)):
        done = alexandria("inspect", *source, cwd=tmp_path, env=env)
        assert "no effect" not in done.stderr
        assert "no library" in done.stderr or "cannot find" in done.stderr
