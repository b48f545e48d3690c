"""Domains: where each option comes from, and what is refused."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from alexandria.chunking import STRATEGIES
from alexandria.chunking.domains import (
    FOLDER_FILE,
    DomainRequest,
    domain_names,
    init_domain,
    load_domain,
    shipped_folder,
    unknown_variables,
    user_folder,
)
from alexandria.chunking.domains.names import REFUSALS, snake_case
from alexandria.chunking.strategies.optimal import Optimal
from alexandria.chunking.strategies.universal_semantic import UniversalSemantic
from alexandria.errors import ConfigError


@pytest.fixture(autouse=True)
def user_domains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty configuration folder of the user's own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    user_folder().mkdir(parents=True)
    return user_folder()


SHIPPED = [
    ("philosophy", 0.45),
    ("psychology", 0.55),
    ("technical", 0.55),
    ("history", 0.55),
    ("literature", 0.55),
    ("default", 0.55),
]


def test_the_shipped_domains_are_as_specified() -> None:
    for name, threshold in SHIPPED:
        domain = load_domain(name, environ={})
        assert domain.strategy.name == "optimal"
        limits = {"threshold": threshold, "min_words": 100, "max_words": 1200}
        assert domain.settings() | limits == domain.settings()
        assert domain.description


def test_all_shipped_domains_are_listed() -> None:
    assert domain_names() == sorted(name for name, _ in SHIPPED)


def test_each_stronger_source_wins(tmp_path: Path, user_domains: Path) -> None:
    (user_domains / "philosophy.yaml").write_text("extends: philosophy\nmin_words: 150\nmax_words: 900\n")
    file = tmp_path / "mine.yaml"
    file.write_text("max_words: 800\nmodel: hashing\n")
    domain = load_domain(
        "philosophy",
        options={"sentences": "regex"},
        file=file,
        environ={"ALEXANDRIA_MODEL": "other", "ALEXANDRIA_SENTENCES": "default"},
    )
    wanted = {
        "strategy": "optimal",
        "min_words": 150,
        "max_words": 800,
        "model": "other",
        "sentences": "regex",
    }
    assert domain.settings() | wanted == domain.settings()
    assert domain.origins["threshold"] == "shipped philosophy.yaml:3"
    assert domain.origins["min_words"] == f"{user_domains / 'philosophy.yaml'}:2"
    assert domain.origins["max_words"] == f"{file}:1"
    assert domain.origins["model"] == "environment ALEXANDRIA_MODEL"
    assert domain.origins["sentences"] == "command line"
    assert "respect_sections" not in domain.origins


def test_an_error_names_the_place_of_a_value_only_where_it_was_not_given() -> None:
    cases: dict[str, tuple[dict[str, object], dict[str, str], str]] = {
        "given": ({"max_words": -1}, {}, "cannot use the strategy optimal with these options:"),
        "given, of another type": ({"threshold": "high"}, {}, "cannot set threshold to 'high':"),
        "elsewhere": ({}, {"ALEXANDRIA_THRESHOLD": "high"}, "(environment ALEXANDRIA_THRESHOLD)"),
    }
    for given, environ, said in cases.values():
        with pytest.raises(ConfigError) as caught:
            load_domain("default", options=given, environ=environ)
        assert said in str(caught.value)
        assert "command line" not in str(caught.value)


def test_a_file_alone_is_a_domain_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "sermons.yaml"
    file.write_text("extends: philosophy\nmin_words: 120\n")
    domain = load_domain(file=file, environ={})
    assert domain.name == "sermons"
    assert domain.settings() | {"threshold": 0.45, "min_words": 120} == domain.settings()
    assert domain.description == "Arguments, read closely"


def test_another_strategy_starts_with_its_own_defaults() -> None:
    domain = load_domain("philosophy", options={"strategy": "centroid"}, environ={})
    assert domain.strategy == STRATEGIES["centroid"]()


def test_universal_semantic_is_one_word_away() -> None:
    """As it is described for each field: the threshold of the domain counts for it too."""
    domain = load_domain("philosophy", options={"strategy": "universal-semantic"}, environ={})
    assert domain.strategy == UniversalSemantic(threshold=0.45, min_words=200, max_words=1200)
    assert load_domain("philosophy", environ={}).strategy == Optimal(threshold=0.45, chunk_cost=-1.3)
    back = load_domain(options={"strategy": "optimal"}, environ={"ALEXANDRIA_STRATEGY": "universal-semantic"})
    assert back.strategy.name == "optimal"


def test_a_group_of_options_counts_for_its_strategy_only(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("min_words: 120\ncentroid:\n  max_words: 500\nuniversal-semantic:\n  threshold: 0.2\n")
    assert load_domain(file=file, environ={}).strategy == replace(Optimal(), min_words=120)
    chosen = load_domain(file=file, options={"strategy": "universal-semantic"}, environ={})
    assert chosen.strategy == UniversalSemantic(threshold=0.2, min_words=120, max_words=1200)


def test_naming_the_same_strategy_again_changes_nothing() -> None:
    options = {"strategy": "optimal"}
    assert load_domain("philosophy", options=options, environ={}) == load_domain("philosophy", environ={})


def test_the_command_line_is_read_as_yaml() -> None:
    domain = load_domain(options={"min_words": "100", "respect_sections": "false"}, environ={})
    assert domain.strategy.min_words == 100
    assert domain.respect_sections is False


def test_an_option_in_the_environment_waits_for_its_strategy() -> None:
    environ = {"ALEXANDRIA_WINDOW": "5", "ALEXANDRIA_THRESHOLD": "0.3"}
    assert "window" not in load_domain(environ=environ).settings()
    assert load_domain(options={"strategy": "smoothed"}, environ=environ).settings()["window"] == 5


def test_a_variable_that_is_no_option_hides_no_mistake_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("store: elsewhere")
    with pytest.raises(ConfigError, match=r"unknown option 'store' .*:1\)"):
        load_domain(file=file, environ={"ALEXANDRIA_STORE": "here"})


def test_a_file_that_is_called_environment_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment may hold options of any strategy; a file may not."""
    monkeypatch.chdir(tmp_path)
    Path("environment.yaml").write_text("window: 3")
    with pytest.raises(ConfigError, match=r"unknown option 'window' \(environment\.yaml:1\)"):
        load_domain(file=Path("environment.yaml"), environ={})


REFUSED = [
    pytest.param(
        "treshold: 0.4", r"unknown option 'treshold' .*:1\)", "did you mean threshold", id="misspelt"
    ),
    pytest.param(
        "\nwindow: 3", r"unknown option 'window' .*:2\)", "option of smoothed", id="of another strategy"
    ),
    pytest.param(
        "strategy: centroid\nwindow: 3", r"'window' .*:2\)", "not of centroid", id="not of centroid"
    ),
    pytest.param("threshold: 1.5", r"cannot use .*:1\)", "threshold must be", id="out of range"),
    pytest.param(
        "description: x\nmax_words: 90", r"cannot use .*:2\)", "at least min_words", id="below another option"
    ),
    pytest.param("min_words: 12.5", r"cannot set min_words to 12.5", "whole number", id="not whole"),
    pytest.param("min_words: true", r"cannot set min_words to True", "whole number", id="a truth value"),
    pytest.param("notes: never", r"cannot set notes to 'never'", "attach, drop", id="not a choice"),
    pytest.param("sentences: spacy", r"cannot set sentences to 'spacy'", "regex", id="no such splitter"),
    pytest.param("strategy: optimel", r"unknown strategy 'optimel' .*:1\)", "optimal", id="no such strategy"),
    pytest.param("strategy: [optimal]", r"unknown strategy \['optimal'\] .*:1\)", "optimal", id="a list"),
    pytest.param("extends: phil", r"unknown domain 'phil'", "philosophy", id="extends nothing"),
    pytest.param("- a\n- b", r"cannot read", "option: value", id="a list"),
    pytest.param("a: [", r"cannot read .*bad\.yaml:", "not YAML", id="not YAML"),
    pytest.param("name: x", r"unknown option 'name'", "", id="a field that is no option"),
]


@pytest.mark.parametrize(("text", "what", "more"), REFUSED)
def test_what_is_wrong_is_refused_with_its_place(text: str, what: str, more: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=what) as caught:
        load_domain(file=file, environ={})
    assert more in f"{caught.value.why} {caught.value.fix}"


def test_an_unknown_domain_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match="unknown domain 'phylosophy'") as caught:
        load_domain("phylosophy", environ={})
    assert caught.value.fix == "did you mean philosophy?"


def test_only_a_file_extends_a_domain() -> None:
    with pytest.raises(ConfigError, match="cannot set extends") as caught:
        load_domain(options={"extends": "history"}, environ={})
    assert caught.value.fix == "--domain history"


def test_a_circle_is_refused(user_domains: Path) -> None:
    (user_domains / "a.yaml").write_text("extends: b")
    (user_domains / "b.yaml").write_text("extends: a")
    with pytest.raises(ConfigError, match="extends itself") as caught:
        load_domain("a", environ={})
    assert caught.value.why == "a → b → a"


def test_a_written_domain_is_its_parent_until_it_is_edited() -> None:
    path = init_domain("sermons")
    made, parent = load_domain("sermons", environ={}), load_domain("default", environ={})
    assert made.settings() | {"domain": "default"} == parent.settings()
    every_option_on = [line.removeprefix("# ") for line in path.read_text().splitlines()[2:]]
    path.write_text("\n".join(every_option_on))
    load_domain("sermons", environ={})
    with pytest.raises(ConfigError, match="already"):
        init_domain("sermons")
    with pytest.raises(ConfigError, match="cannot name"):
        init_domain("../sermons")
    with pytest.raises(ConfigError, match="cannot name a domain 'Con'") as caught:
        init_domain("Con")
    assert "device" in (caught.value.why or "")


def test_shipped_files_hold_only_what_they_change() -> None:
    assert {path.name for path in shipped_folder().glob("*.yaml")} == {f"{name}.yaml" for name, _ in SHIPPED}


def test_a_comment_on_the_line_of_a_value_goes_with_it(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "# not this\nchunk_cost: 1\nturn_cost: 5.0  # plays\ndescription: 'a # b'\nmodel: hashing #c\n"
    )
    assert load_domain(file=file).comments == {"turn_cost": "plays", "model": "c"}
    assert "turn_cost" not in load_domain(file=file, options={"turn_cost": 4.0}).comments


@pytest.mark.parametrize("name", domain_names())
def test_a_shipped_domain_says_why_its_costs_differ(name: str) -> None:
    domain = load_domain(name)
    costs = {option for option in domain.origins if option.endswith("_cost")}
    assert costs <= set(domain.comments)


# --- names of other programs ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("strategy", "given", "wanted"),
    [
        (
            "universal-semantic",
            {"threshold": 0.4, "min_chunk_size": 50, "max_chunk_size": 900, "embedding_model": "hashing"},
            {"threshold": 0.4, "min_words": 50, "max_words": 900, "model": "hashing"},
        ),
        ("optimal", {"min_size": 50, "max_size": 900}, {"min_words": 50, "max_words": 900}),
        (
            "percentile",
            {
                "similarity_threshold": 0.8,
                "min_chunk_sentences": 5,
                "max_chunk_sentences": 50,
                "similarity_percentile": 0.6,
                "embedding_batch_size": 64,
                "model_name": "hashing",
            },
            {
                "threshold": 0.8,
                "min_sentences": 5,
                "max_sentences": 50,
                "percentile": 0.6,
                "batch_size": 64,
                "model": "hashing",
            },
        ),
        (
            "smoothed",
            {
                "targetTokens": 300,
                "minTokens": 90,
                "maxTokens": 500,
                "smoothingWindowSize": 5,
                "boundaryThresholdStdDevs": 0.5,
                "embeddingBatchSize": 16,
                "fallbackToRecursive": False,
            },
            {
                "target_tokens": 300,
                "min_tokens": 90,
                "max_tokens": 500,
                "window": 5,
                "std_devs": 0.5,
                "batch_size": 16,
                "fallback_to_recursive": False,
            },
        ),
        (
            "centroid",
            {"max_chunk_size": 1500, "similarity_threshold": 0.3},
            {"max_chars": 1500, "threshold": 0.3},
        ),
        ("fixed", {"size": 300, "overlap": 30}, {"max_words": 300, "overlap_words": 30}),
        ("optimal", {"semanticChunkingEnabled": True}, {"strategy": "smoothed"}),
        ("optimal", {"semantic_chunking_enabled": False}, {"strategy": "recursive"}),
        (
            "optimal",
            {
                "semanticChunkingEnabled": True,
                "semanticChunkingConfig": {"targetTokens": 300, "smoothingWindowSize": 5},
            },
            {"strategy": "smoothed", "target_tokens": 300, "window": 5},
        ),
    ],
)
def test_every_name_of_the_descriptions_is_taken_as_what_it_is_here(
    strategy: str, given: dict[str, object], wanted: dict[str, object], tmp_path: Path
) -> None:
    environ = {"ALEXANDRIA_STRATEGY": strategy}
    on_the_command_line = load_domain(options=given, environ=environ)
    assert on_the_command_line.options() | wanted == on_the_command_line.options()
    file = tmp_path / "mine.yaml"
    named = {} if set(wanted) & {"strategy"} else {"strategy": strategy}
    file.write_text(yaml.safe_dump({**named, **given}, sort_keys=False))
    in_a_file = load_domain("default", file=file, environ={})
    assert in_a_file.options() | wanted == in_a_file.options()


def test_another_name_is_said_once_and_shown_as_the_origin(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("alexandria.chunking.domains.names._LOGGED", set())
    file = tmp_path / "mine.yaml"
    file.write_text("similarity_threshold: 0.4\nmin_chunk_size: 90\n")
    with caplog.at_level("INFO"):
        domain = load_domain(file=file, environ={})
        load_domain(file=file, environ={})
    assert caplog.messages == [
        "note: similarity_threshold is taken as threshold, min_chunk_size is taken as min_words"
    ]
    assert domain.origins["min_words"] == f"{file}:2, as min_chunk_size"


def test_the_environment_takes_the_names_too() -> None:
    environ = {"ALEXANDRIA_MAX_CHUNK_SIZE": "700"}
    assert unknown_variables(environ) == {}
    assert load_domain(environ=environ).strategy.max_words == 700
    centroid = load_domain(options={"strategy": "centroid"}, environ=environ)
    assert centroid.settings() | {"max_chars": 700, "max_words": 1200} == centroid.settings()


@pytest.mark.parametrize("name", [*REFUSALS, "minSentenceLength", "embedFn"])
def test_a_name_refused_on_purpose_says_why_and_what_to_use(name: str) -> None:
    with pytest.raises(ConfigError, match=f"cannot use the option '{name}'") as caught:
        load_domain(options={name: "x"}, environ={})
    refusal = REFUSALS[snake_case(name)]
    assert (caught.value.why, caught.value.fix) == (refusal.why, refusal.fix)
    assert len(refusal.why) > 20


def test_a_name_of_another_strategy_says_what_it_is_and_whose() -> None:
    with pytest.raises(ConfigError, match="unknown option 'min_chunk_size'") as caught:
        load_domain(options={"strategy": "percentile", "min_chunk_size": "9"}, environ={})
    assert (
        "here min_words, is an option of optimal, universal-semantic, not of percentile" in caught.value.why
    )
    assert "min_sentences" in caught.value.fix


def test_names_that_contradict_each_other_are_refused() -> None:
    cases: list[tuple[dict[str, str], str]] = [
        ({"min_chunk_size": "9", "min_words": "8"}, "cannot set min_words twice"),
        ({"semanticChunkingEnabled": "perhaps"}, "cannot set semanticChunkingEnabled to 'perhaps'"),
        ({"batch_size": "0"}, "cannot set batch_size to 0"),
    ]
    for options, problem in cases:
        with pytest.raises(ConfigError, match=problem):
            load_domain(options=options, environ={})


def test_the_batch_size_identifies_nothing() -> None:
    """It changes no vector, so a book that was ingested with another one is unchanged."""
    plain, batched = load_domain(environ={}), load_domain(options={"batch_size": "4"}, environ={})
    assert plain.settings() == batched.settings()
    assert batched.options()["batch_size"] == 4


def test_an_option_that_came_later_identifies_a_book_only_if_it_is_set() -> None:
    tiered = {"strategy": "tiered"}
    assert "percentile_of" not in load_domain(options=tiered, environ={}).settings()
    chosen = load_domain(options={**tiered, "percentile_of": "section"}, environ={})
    assert chosen.settings()["percentile_of"] == "section"
    assert chosen.options()["percentile_of"] == "section"


def test_a_folder_may_use_the_names_too(tmp_path: Path) -> None:
    (tmp_path / FOLDER_FILE).write_text("max_chunk_size: 300\nsemanticChunkingEnabled: true\n")
    request = DomainRequest(environ={})
    domain = request.domain_for(tmp_path / "a.txt")
    assert (domain.strategy.name, domain.strategy.max_words) == ("smoothed", 300)
    assert request.keeps_settings(tmp_path / "a.txt", domain.settings())
    (tmp_path / FOLDER_FILE).write_text("model_name: other\n")
    with pytest.raises(ConfigError, match="cannot set model_name in"):
        DomainRequest(environ={}).domain_for(tmp_path / "a.txt")
