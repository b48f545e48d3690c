"""Books, rows, sentences and settings drawn from a seed: how each is cut, and what is said of it."""

import random
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from alexandria.book.model import BlockKind, Book, Contribution, Embeddings, Metadata, Segmentation
from alexandria.chunking import (
    STRATEGIES,
    Sizes,
    assemble,
    chunk_vectors,
    describe_kept_together,
    explain_boundary,
    restore_strategy,
    segment_book,
    segment_sentences,
)
from alexandria.chunking.cues.find import find_cues
from alexandria.chunking.cues.words import CUE_WORDS
from alexandria.chunking.domains import (
    DomainRequest,
    init_domain,
    unknown_variables,
    user_folder,
)
from alexandria.chunking.domains.fields import SUBJECTS, WORDS
from alexandria.chunking.domains.guess import guess_field
from alexandria.chunking.domains.names import REFUSALS, SYNONYMS
from alexandria.chunking.explain import Sides
from alexandria.chunking.limits import with_overlap
from alexandria.chunking.sentences import split
from alexandria.chunking.strategies.percentile import Preset
from alexandria.chunking.strategies.tiered import Extent
from alexandria.chunking.strategy import Strategy
from alexandria.extract.draft import Draft, DraftBlock, DraftNote, DraftSection, NoteMark, PageMark, bind
from tests.drawn import hold_drawn, listed, or_error, shown

KINDS = [BlockKind.PARAGRAPH] * 12 + [kind for kind in BlockKind if kind is not BlockKind.HEADING]
NAMES = listed("Ada Byron Marlow Hull Ravenna Tom Eliza Mrs. Peel Oslo Karl Kepler Iris")
PLAIN = listed("the mill stood by a cold river and nobody ever spoke of its owner while ice grew over stone")
TAILS = (".", ".", ".", ".", "!", "?", ":", ";", "—", ",", "", "…", ".”", "?”", "’.", " …")
LANGUAGES = sorted(CUE_WORDS)


def phrase(drawn: random.Random, language: str, n: int) -> str:
    """Return a sentence of n words, some of which are cues of the language, names or numbers."""
    words = list[str]()
    for i in range(n):
        listed = getattr(CUE_WORDS[language], drawn.choice([one.name for one in fields(CUE_WORDS[language])]))
        kinds = [PLAIN, PLAIN, PLAIN, NAMES, sorted(listed) or PLAIN, sorted(CUE_WORDS[language].openers)]
        words.append(drawn.choice(drawn.choice(kinds[: 6 if i < 3 else 5])))
    text = " ".join(words)
    text = text[:1].upper() + text[1:] if drawn.random() < 0.9 else text
    quote = drawn.choice(
        ("{}", "{}", "{}", "“{}", "“{}”", "“{}” said he", "‘{}’", "«{}»", "— {}", '"{}"', "„{}“")
    )
    return quote.format(text) + drawn.choice(TAILS)


def block(drawn: random.Random, language: str, keys: list[str], pages: list[int]) -> DraftBlock:
    kind = drawn.choice(KINDS)
    n_words = drawn.choice((1, 2, 4, 7, 12, 20))
    text = " ".join(phrase(drawn, language, n_words) for _ in range(drawn.choice((1, 1, 2, 3, 6))))
    if kind is BlockKind.VERSE:
        text = "\n".join(phrase(drawn, language, 4) for _ in range(drawn.choice((2, 4))))
    text = (
        drawn.choice((f"{drawn.choice(NAMES).upper()}. {text}", "J. M.", "1850", text))
        if drawn.random() < 0.08
        else text
    )
    marks, starts = list[NoteMark](), list[PageMark]()
    if drawn.random() < 0.2:
        keys.append(f"n{len(keys)}")
        marks.append(NoteMark(drawn.randrange(len(text) + 1), keys[-1]))
    if drawn.random() < 0.3:
        pages.append(len(pages) + 1)
        starts.append(
            PageMark(drawn.randrange(len(text)), pages[-1], drawn.choice((None, str(pages[-1] + 4))))
        )
    return DraftBlock(
        kind,
        text,
        href=drawn.choice((None, "a.xhtml", "b.xhtml#x")),
        notes=tuple(marks),
        pages=tuple(starts),
        break_before=drawn.random() < 0.1,
        confidence=drawn.choice((None, None, 40.0, 91.5)),
        text_layer=drawn.random() < 0.1,
    )


def book(drawn: random.Random) -> Book:
    language = drawn.choice((*LANGUAGES, "en", "en", "en"))
    keys, pages, sections = list[str](), list[int](), list[DraftSection]()
    path: tuple[str, ...] = ()
    for number in range(drawn.choice((1, 2, 3, 5))):
        level = drawn.choice((1, 1, 2, 3))
        heading = drawn.choice((f"Chapter {number}", "Of Ice", "II", ""))
        path = (*path[: level - 1], heading) if heading else path[: level - 1]
        titled = [DraftBlock(BlockKind.HEADING, heading)] if heading and drawn.random() < 0.8 else []
        blocks = [block(drawn, language, keys, pages) for _ in range(drawn.choice((0, 1, 3, 6, 9)))]
        by = Contribution("Ann Reed", heading or "Of Salt") if drawn.random() < 0.15 else None
        if titled or blocks:
            sections.append(DraftSection(path, level, "a.xhtml", (*titled, *blocks), by))
    notes = tuple(DraftNote(key, key[1:], f"Note {key}.") for key in keys)
    sections = sections or [DraftSection((), 1, None, (DraftBlock(BlockKind.PARAGRAPH, "Alone."),))]
    draft = Draft(Metadata(title="T", language=language), tuple(sections), notes)
    return bind(draft, id="0" * 64, source="t.txt", format="txt")


def rows(drawn: random.Random, n: int) -> Embeddings:
    """Return unit rows that stay near one of few subjects for a while."""
    made, near = list[list[float]](), [drawn.gauss(0, 1) for _ in range(6)]
    for _ in range(n):
        if drawn.random() < 0.25:
            near = [drawn.gauss(0, 1) for _ in range(6)]
        made.append([one + drawn.gauss(0, drawn.choice((0.1, 0.6))) for one in near])
    array = np.array(made or np.empty((0, 6)), np.float64)
    unit: Embeddings = (array / np.linalg.norm(array, axis=1, keepdims=True)).astype(np.float32)
    return unit


def strategy(drawn: random.Random, name: str) -> Strategy:
    """Return a strategy with options drawn around small limits."""
    cls, options = STRATEGIES[name], dict[str, Any]()
    for option in fields(cls):
        value = option.default
        if "words" in option.name or "tokens" in option.name or "chars" in option.name:
            scale = 5 if "chars" in option.name or "tokens" in option.name else 1
            options[option.name] = scale * drawn.choice((4, 8, 12) if "min" in option.name else (12, 25, 60))
        elif isinstance(value, Preset | Extent):
            options[option.name] = drawn.choice(list(type(value)))
        elif isinstance(value, bool):
            options[option.name] = drawn.random() < 0.5
        elif isinstance(value, float) and drawn.random() < 0.4:
            options[option.name] = round(value * drawn.choice((0.5, 1.1, 1.5)), 3)
        elif isinstance(value, int) and drawn.random() < 0.4:
            options[option.name] = value + drawn.choice((-1, 1, 2))
    try:
        return cls(**options)
    except ValueError:
        return cls()


UNKNOWN = Sides()


def told(segmentation: Segmentation, cut_by: Strategy, sides: Sides = UNKNOWN) -> list[str]:
    cuts = [f"{shown(cut)} | {explain_boundary(cut, cut_by, sides)}" for cut in segmentation.boundaries]
    kept = [f"{shown(one)} | {describe_kept_together(one)}" for one in segmentation.kept]
    return [*cuts, *kept, f"costs {shown(segmentation.costs[:12])}"]


@pytest.mark.parametrize("name", STRATEGIES)
def test_books(name: str) -> None:
    drawn, found = random.Random(f"books {name}"), {}
    for number in range(22 if name == "optimal" else 14):
        one, by = book(drawn), strategy(drawn, name)
        sentences = split(one, max_words=by.max_words)
        vectors = rows(drawn, len(sentences))
        overlap = drawn.choice((0, 0, 6, 15))
        respect = drawn.random() < 0.8
        cut = segment_book(by, vectors, sentences, one, respect_sections=respect, overlap_words=overlap)
        chunks = assemble(one, sentences, cut)
        sides = Sides(turn=(("ice",), ("mill", "hull"), ()), heading="II", next_best="before “He slid …”")
        means = chunk_vectors(vectors, chunks)
        found[f"{number} {shown(by)} {len(sentences)}"] = [
            *told(cut, by, sides if number % 2 else Sides()),
            *(
                shown(replace(chunk, text=chunk.text[:20], boundary=None, kept=None, similarities=()))
                + shown(mean[:2])
                for chunk, mean in zip(chunks[:6], means, strict=False)
            ),
        ]
    hold_drawn(f"books-{name}", found)


def sizes(drawn: random.Random, n: int) -> Sizes:
    words = np.array([drawn.choice((1, 3, 6, 9, 14, 30)) for _ in range(n)], np.int64)

    def some(share: float) -> "np.ndarray[Any, np.dtype[np.bool_]]":
        return np.array([drawn.random() < share for _ in range(n)], np.bool_)

    may_begin = ~some(0.15)
    may_begin[:1] = True
    breaks = tuple(sorted(drawn.sample(range(1, n), min(n - 1, drawn.choice((0, 1, 2)))))) if n > 1 else ()
    return Sizes(words, words * drawn.choice((4, 5, 7)), some(0.4), may_begin, some(0.1), breaks)


def test_rows() -> None:
    drawn, found = random.Random(22), {}
    for number in range(260):
        n, name = drawn.choice((1, 2, 3, 6, 12, 25)), drawn.choice(list(STRATEGIES))
        by, made = strategy(drawn, name), sizes(drawn, n)
        cut = segment_sentences(by, rows(drawn, n), made)
        overlapping = with_overlap(cut.boundaries, made, drawn.choice((1, 9, 20)))
        found[f"{number} {shown(by)} {list(made.words)} {made.breaks}"] = [
            " ".join(f"{one.gap}:{one.reason}{one.overlap or ''}" for one in overlapping),
            *(
                f"{shown(one.similarity)} {shown(one.threshold)} {one.rank}/{one.n_candidates}"
                for one in cut.boundaries[:6]
            ),
        ]
    hold_drawn("rows", found)


PIECES = (
    *(
        "Mr. Hull",
        "Dr. J. R. Peel",
        "e.g. salt",
        "cf. p. 12",
        "St. Ives",
        "No. 5",
        "vol. iv.",
        "U.S. ships",
        "a.m. on",
    ),
    *(
        "3.5 miles",
        "in 1850.",
        "§ 4. Of",
        "1. First",
        "(a) one",
        "etc. and",
        "Prof. A",
        "Fig. 3",
        "i.e. the",
        "Jan. 5",
    ),
    *(
        "he said.",
        "she left!",
        "“Go!” he",
        "why? She",
        "‘No.’ Then",
        "… and",
        "end...",
        "wait . . . for",
        "X. and",
    ),
    *(
        "雪が降る。夜だ",
        "「そうか。」と言った",
        "他来了！他走了？",
        "Τι είναι; Αυτό",
        "Mme. Roux",
        "z. B. das",
        "12. Mai",
        "bzw. so",
    ),
    *(
        "ice",
        "the mill",
        "and Tom",
        "Karl",
        "never",
        "IV. Then",
        "(See above.)",
        "[1] Note",
        "A.D. 40",
        "p. m.",
    ),
)


def test_sentences() -> None:
    drawn, found = random.Random(23), {}
    for number in range(260):
        text = drawn.choice((" ", " ", " ", "\n")).join(
            drawn.choice(PIECES) for _ in range(drawn.choice((3, 8, 20)))
        )
        kind = drawn.choice((BlockKind.PARAGRAPH, BlockKind.PARAGRAPH, BlockKind.VERSE, BlockKind.LIST_ITEM))
        text = text.lower() if drawn.random() < 0.1 else text
        section = DraftSection((), 1, None, (DraftBlock(kind, text.strip()),))
        one = bind(
            Draft(Metadata(title="T", language=drawn.choice(("en", "de", "fr", "el"))), (section,)),
            id="0",
            source="",
            format="txt",
        )
        most, splitter = drawn.choice((3, 6, 1200)), drawn.choice(("default", "default", "default", "regex"))
        found[f"{number} {one.language} {kind} {most} {splitter}"] = [
            one.text[sentence.start : sentence.end]
            for sentence in split(one, splitter=splitter, max_words=most)
        ]
    hold_drawn("sentences", found)


EDGES = (
    -21,
    -20,
    -2,
    -1.01,
    -1,
    -0.01,
    0,
    0.01,
    0.5,
    1,
    1.01,
    2,
    3,
    19.9,
    20,
    20.1,
    100,
    101,
    True,
    "1",
    None,
)


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_edges_of_each_option(name: str) -> None:
    cls, found = STRATEGIES[name], dict[str, Sequence[str]]()
    for option in fields(cls):
        lines = []
        for value in EDGES:
            for others in (
                {},
                {other.name: 0 for other in fields(cls) if other.name.startswith("min") and other != option},
            ):
                try:
                    cls(**{**others, option.name: value})
                except ValueError as error:
                    lines.append(f"{value!r} {list(others)}: {error}")
                except TypeError:
                    lines.append(f"{value!r} {list(others)}: wrong type")
        found[option.name] = lines
    by = cls()
    found["itself"] = [shown(by), by.rule(), by.cap()]
    hold_drawn(f"options-{name}", found)


def test_books_without_vectors() -> None:
    drawn, found = random.Random(27), {}
    for number in range(20):
        one, name = (
            book(drawn),
            drawn.choice([cls.name for cls in STRATEGIES.values() if not cls.needs_embeddings]),
        )
        by = strategy(drawn, name)
        sentences = split(one, max_words=by.max_words)
        found[f"{number} {shown(by)}"] = told(segment_book(by, None, sentences, one), by)
    hold_drawn("books-without-vectors", found)


def test_cues() -> None:
    drawn, found = random.Random(24), {}
    for number in range(60):
        one = book(drawn)
        sentences = split(one)[:9]
        cues = find_cues(one, sentences)
        found[f"{number} {one.language}"] = [
            f"{one.text[sentence.start : sentence.end][-60:]!r} "
            + " ".join(f"{cue}={shown(float(of[i]))}" for cue, of in cues.items() if of[i])
            for i, sentence in enumerate(sentences)
        ]
    hold_drawn("cues", found)


OPTIONS = sorted({one.name for cls in STRATEGIES.values() for one in fields(cls)} | {*SYNONYMS, *REFUSALS})
OTHER = [
    "strategy",
    "description",
    "model",
    "notes",
    "batch_size",
    "respect_sections",
    "overlap_words",
    "minWords",
    "treshold",
]
VALUES: tuple[object, ...] = (
    0,
    1,
    5,
    40,
    2000,
    -1,
    0.4,
    1.5,
    "0.5",
    "12",
    True,
    "yes",
    "off",
    "high",
    None,
    [1],
    "fixed",
    "1e3",
)


def settings(drawn: random.Random) -> dict[str, object]:
    names = [drawn.choice(drawn.choice((OPTIONS, OTHER))) for _ in range(drawn.choice((0, 1, 2, 2, 3)))]
    chosen = {
        name: drawn.choice(list(STRATEGIES)) if name == "strategy" else drawn.choice(VALUES) for name in names
    }
    if drawn.random() < 0.6:
        cls = STRATEGIES[drawn.choice(list(STRATEGIES))]
        for one in drawn.sample(fields(cls), min(3, len(fields(cls)))):
            chosen |= {"strategy": cls.name, one.name: one.default}
    return chosen


def written(path: Path, chosen: dict[str, object], extra: str = "") -> Path:
    lines = [f"{name}: {value if value is not None else 'null'}  # because" for name, value in chosen.items()]
    path.write_text("\n".join((extra, *lines)) + "\n", encoding="utf-8")
    return path


def test_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    user_folder().mkdir(parents=True)
    drawn, found = random.Random(25), {}
    for number in range(150):
        folder = tmp_path / "books" / "shelf"
        folder.mkdir(parents=True, exist_ok=True)
        written(
            folder / "alexandria.yaml",
            settings(drawn),
            drawn.choice(("", "extends: history", "extends: auto", "extends: nope")),
        )
        written(
            user_folder() / "mine.yaml",
            settings(drawn),
            drawn.choice(("", "extends: literature", "threshold: 0.2\nthreshold: 0.3")),
        )
        file = written(tmp_path / "own.yaml", settings(drawn)) if drawn.random() < 0.2 else None
        environ = (
            {f"ALEXANDRIA_{name.upper()}": str(of) for name, of in settings(drawn).items()}
            if drawn.random() < 0.5
            else {}
        )
        named = drawn.choice((None, None, "mine", "history", "philosophi", "auto"))
        given = settings(drawn) if drawn.random() < 0.6 else {}
        path = drawn.choice((None, folder / "a.txt"))
        stored = drawn.choice(
            (None, {"domain": "history", "strategy": "optimal", "threshold": 0.5, "max_words": 900})
        )

        def result() -> Sequence[str]:
            asked = DomainRequest(domain=named, options=given, file=file, environ=environ)  # noqa: B023
            domain = asked.domain_for(path, stored) if number % 3 else asked.single_domain()  # noqa: B023
            origins = {name: place for name, place in domain.origins.items() if "shipped" not in str(place)}
            keeps = asked.keeps_settings(path or tmp_path, stored or {})  # noqa: B023
            guessed = f"{asked.is_guessed(path)} {keeps} {asked.names_model()}"  # noqa: B023
            return [domain.name, shown(domain.strategy), shown(origins), guessed, shown(domain.options())]

        lines = [line.replace(str(tmp_path), "~") for line in or_error(result)]
        found[f"{number} {named} {given} {environ}"] = [*lines, shown(unknown_variables(environ))]
    hold_drawn("settings", found)


def test_templates_guesses_and_stored_strategies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    found: dict[str, Sequence[str]] = {"template": init_domain("mine").read_text().splitlines()}
    for name in ("mine", "a b", "auto", "x" * 300, "con"):
        found[f"domain {name[:9]}"] = or_error(lambda: [str(init_domain(name))])  # noqa: B023
    found = {case: [line.replace(str(tmp_path), "~") for line in lines] for case, lines in found.items()}
    drawn = random.Random(26)
    for number in range(110):
        field = drawn.choice(SUBJECTS if isinstance(SUBJECTS, list | tuple) else list(SUBJECTS))
        others = sorted(WORDS[drawn.choice(list(WORDS))])
        likely = [sorted(WORDS[field])] * drawn.choice((0, 1, 1, 3)) + [others] * drawn.choice((0, 1))
        words = [
            drawn.choice(drawn.choice((*likely, *[PLAIN] * drawn.choice((2, 20, 40)))))
            for _ in range(drawn.choice((60, 300, 1100)))
        ]
        subjects = tuple(
            drawn.choice(("History", "Philosophy", "Fiction", "Computers", "Poetry", "Psychologie"))
            for _ in range(drawn.choice((0, 1, 2)))
        )
        metadata = Metadata(title=drawn.choice(("T", "A History of Salt", "Logic")), subjects=subjects)
        section = DraftSection((), 1, None, (DraftBlock(BlockKind.PARAGRAPH, " ".join(words)),))
        one = bind(Draft(metadata, (section,)), id="0", source="", format="txt")
        found[f"{number} {field} {len(words)} {metadata.title} {subjects}"] = [
            shown(guess_field(one)),
            str(guess_field(one)),
        ]
        stored = (
            {"max_words": drawn.choice((5, 900, 0)), "threshold": drawn.choice((0.4, 3)), "gone": 1}
            if number % 3
            else {}
        )
        back = restore_strategy(drawn.choice((*STRATEGIES, "gone")), stored)
        found[f"{number} {stored}"] = [f"{back.name} {shown(back)} {back.rule()} | {back.cap()}"]
    hold_drawn("guesses", found)
