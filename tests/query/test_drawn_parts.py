"""The parts of a search with inputs drawn from a seed: names, runs, editions, quotations, requests."""

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from alexandria.book.choices import Diverse
from alexandria.book.filters import Filters
from alexandria.embed import DEFAULT_MODEL
from alexandria.library.search.comparison import places_of_quotation, quoted_text
from alexandria.library.search.differences import differences
from alexandria.library.search.diversity import diversify
from alexandria.library.search.editions import Editions, merge_editions, with_editions
from alexandria.library.search.excerpts.evidence import standardise
from alexandria.library.search.excerpts.runs import runs_of, target_within, text_paragraphs
from alexandria.library.search.names import (
    asked_words,
    books_named,
    name_index,
    names_asked,
    names_in,
    parts_in,
    without_names,
)
from alexandria.library.search.phrases import phrases_of
from alexandria.library.search.places import fewest_letters, places_in, slips_allowed
from alexandria.library.search.relevance import Asked, Resemblance, coefficients_of, resemblance
from alexandria.library.search.request import SearchRequest, parse_filters
from alexandria.library.search.vocabulary import Word
from alexandria.store.letters import made_letters
from alexandria.store.passage import Hit, passage_of
from alexandria.store.record import BookName
from tests.drawn import hold_drawn, listed, or_error, shown, slipped
from tests.store.examples import point, record

TITLES = (
    *(
        "The Salt Roads",
        "The Salt Roads, Vol. II",
        "Letters; or, The Quarry: a Winter",
        "Winter",
        "Paris",
        "On Ice",
        "О море",
    ),
    *(
        "Frankenstein; or, The Modern Prometheus",
        "Élan vital (1907)",
        "Works, Volume 3",
        "Don’t Look — Now",
        "II",
    ),
)
AUTHORS = (
    "Ida B. Marlow",
    "Marlow, Ida",
    "Jan van der Meer and Ann Reed",
    "O’Brien, Jr.",
    "",
    "Émile Zola; Karl Äpfel",
    "Иван Петров",
)
PLAIN = listed(
    "the miller of and counts a grey lantern by his river while nobody forgets ice salt bridge harbour"
)
NAMES = listed(
    "Marlow Ida Meer Reed O’Brien Zola Émile Paris Winter Salt Roads Frankenstein Prometheus Quarry Jan II"
)
JOINTS = ("’s", "'s", ",", ":", "-", " —", "?", "”", "“", "«", "_", "(", "")
HEBREW = (
    "שָׁלוֹם",
    "בְּרֵאשִׁית",
    "œuvre",
    "Straße",
    "strasse",
    "naïve",
    "Ærø",
    "ﬁrst",
    "coöperate",
    "résumé",
    "İzmir",
    "’tis",
)


def passage(drawn: random.Random, number: int, text: str) -> Hit:
    made = passage_of(
        point(
            number % 5,
            book=f"b{drawn.randrange(4)}",
            text=text,
            section=drawn.choice(((), ("One",), ("Two", "Ice"))),
        )
    )
    starts = [100 * (number % 5) + at for at in range(0, len(text), 20)]
    payload = {**made.payload, "end": made.start + len(text), "sentence_starts": " ".join(map(str, starts))}
    excerpt = drawn.choice((None, (made.start, made.start + drawn.randrange(9, 40))))
    return Hit(
        id=f"p{number}",
        payload=payload,
        score=drawn.choice((0.5, 1.0, drawn.random())),
        relevance=drawn.random(),
        excerpt=excerpt,
    )


def sentence(drawn: random.Random, n: int = 9) -> str:
    words = [drawn.choice(drawn.choice((PLAIN, PLAIN, PLAIN, NAMES, HEBREW))) for _ in range(n)]
    return f"{' '.join(words).capitalize()}{drawn.choice(('.', '.', '!', ' —', '', '…'))}"


def test_names_in_questions() -> None:
    drawn, found = random.Random(51), {}
    books = [
        BookName(
            book_id=f"b{i}",
            title=title,
            author=AUTHORS[i % len(AUTHORS)],
            language="en",
            domain="d",
            format="epub",
        )
        for i, title in enumerate(TITLES)
    ]
    index = name_index(books, "en")
    for number in range(300):
        asked = list[str]()
        for _ in range(drawn.choice((2, 4, 7))):
            known = drawn.choice(
                (
                    drawn.choice(TITLES),
                    drawn.choice(AUTHORS) or "Tom",
                    drawn.choice(NAMES),
                    drawn.choice(PLAIN),
                    drawn.choice(("in", "the", "of", "by")),
                )
            )
            asked.append(
                drawn.choice((known, known, known, known.lower()))
                + drawn.choice((*JOINTS[:3], "", "", "", ""))
                + drawn.choice(JOINTS[-3:])
            )
        text = " ".join(asked)
        words = asked_words(text, drawn.choice(("en", "de", None)))
        names = names_in(words, index)
        found[f"{number} {text}"] = [
            shown(names),
            shown([parts_in(words), books_named(names), without_names(text, names)]),
            shown([len(names_asked(words)), [one.folded for one in words if one.is_stop], phrases_of(text)]),
        ]
    hold_drawn("names-asked", found)


HEADINGS = ((), ("Chapter One",), ("Of Ice", "One"))


def test_runs() -> None:
    drawn, found = random.Random(52), {}
    for number in range(130):
        parts, starts, at = list[str](), list[int](), 0
        for _ in range(drawn.choice((1, 3, 8, 14))):
            kinds = (
                sentence(drawn, drawn.choice((3, 12, 30))),
                "CHAPTER ONE",
                "(Enter Tom)",
                "Of Ice",
                "one—two—three—four—five—six",
                "看守人点亮了灯。",
            )
            part = drawn.choice((kinds[0], kinds[0], kinds[0], kinds[0], drawn.choice(kinds))) + drawn.choice(
                (" ", " ", "\n\n", "\n")
            )
            starts.append(50 + at)
            parts.append(part)
            at += len(part)
        text, target = "".join(parts).rstrip(), drawn.choice((10, 25, 45, 60))
        runs = runs_of(text, starts, 50, target=target)
        found[f"{number} {target} {text[:40]!r}"] = [
            " ".join(f"{run.first}-{run.stop}:{run.start}-{run.end}:{run.n_words}" for run in runs),
            shown([text_paragraphs(text, drawn.choice(HEADINGS)), target_within(target * 9)]),
        ]
    hold_drawn("runs", found)


def test_editions_and_diversity() -> None:
    drawn, found = random.Random(53), {}
    for number in range(70):
        records = [
            replace(
                record([point(0, book=f"b{i}")]),
                work=drawn.choice(("", "", "b0", "b1")),
                format=drawn.choice(("txt", "epub", "pdf")),
                n_words=drawn.choice((100, 900, 949, 950, 1000)),
            )
            for i in range(4)
        ]
        texts = [sentence(drawn, 12) for _ in range(3)]
        hits = [
            passage(
                drawn,
                i,
                drawn.choice(
                    (text := drawn.choice(texts), slipped(drawn, text, 1), f"{text} {sentence(drawn, 4)}")
                ),
            )
            for i in range(7)
        ]
        editions, diverse = Editions.of(records), drawn.choice(list(Diverse))
        merged = merge_editions(hits[:5], editions)
        with_others = with_editions(merged, hits[5:], editions)
        vectors = {
            hit.id: np.array([[drawn.gauss(0, 1) for _ in range(3)] for _ in range(2)], np.float32)
            for hit in hits
            if drawn.random() < 0.8
        }
        found[f"{number} {texts[0]}"] = [
            f"{editions.ranks} {editions.works} {editions.max_per_work()}",
            *(
                f"{hit.id} {hit.book_id} {shown(hit.score)} {[other.id for other in hit.also_in]}"
                for hit in with_others
            ),
            f"{diverse} {[hit.id for hit in diversify(hits[: drawn.choice((1, 2, 7))], diverse, vectors)]}",
        ]
        values = np.array(
            [drawn.choice((0.0, 1.0, float("nan"), drawn.random())) for _ in range(drawn.choice((1, 2, 5)))]
        )
        words = [
            Word(word, frozenset({i}), drawn.random() * 5, exists=True, is_indexed=True)
            for i, word in enumerate(PLAIN[:3])
        ]
        alike = Resemblance(drawn.random(), drawn.random(), drawn.randrange(7))
        judge = coefficients_of(f"{DEFAULT_MODEL}@1")
        judged = [judge.judge(alike, standing) for standing in (None, 0.3)] if judge else []
        asked = Asked(np.array([1.0, 0.0, 0.0], np.float32), words)
        same = resemblance(asked, next(iter(vectors.values()), None), {1, 2})
        found[f"{number} numbers"] = [
            shown(
                [
                    standardise(values),
                    alike.closeness,
                    alike.features(None),
                    alike.features(0.2),
                    judged,
                    same,
                ]
            )
        ]
    hold_drawn("editions", found)


def test_quotations_in_letters() -> None:
    drawn, found = random.Random(54), {}
    for number in range(110):
        text = "\n\n".join(
            " ".join(sentence(drawn) for _ in range(drawn.choice((1, 3, 6)))) for _ in range(3)
        )
        one = passage_of(point(0, text=text))
        notes = (
            {"notes": [sentence(drawn)], "note_marks": str(one.start + drawn.randrange(len(text)))}
            if drawn.random() < 0.3
            else {}
        )
        letters = made_letters([replace(one, payload={**one.payload, "end": one.start + len(text), **notes})])
        words = text.split()
        at = drawn.randrange(len(words) - 4)
        quoted = words[at : at + drawn.choice((3, 6, 12, 25))]
        if drawn.random() < 0.5:
            i = drawn.randrange(len(quoted))
            quoted[i : i + drawn.choice((0, 1, 2, 3))] = drawn.choice(
                ([], ["zinc"], ["…"], ["[…]"], ["the", "grey"])
            )
        said = slipped(drawn, " ".join(quoted) or "none at all", drawn.choice((0, 0, 1, 2, 5)))
        folded, of = "".join(filter(str.isalnum, said.lower())), quoted_text(said)
        slips = drawn.choice((slips_allowed(len(folded)), 1, 5))
        places = places_in(letters, folded, slips) if len(folded) > slips else []
        compared = places_of_quotation(of, [letters])
        found[f"{number} {said}"] = [
            shown([places[:5], slips, fewest_letters(folded), letters.n_text]),
            *(f"{shown(place)[:300]} {place.is_near(of)} {place.is_like(of)}" for place in compared[:3]),
            shown(differences(said, " ".join(words[at : at + len(quoted)]))),
        ]
        word, other = drawn.choice(HEBREW), drawn.choice(HEBREW)
        same = "".join(letter for letter in word if drawn.random() < 0.8)
        found[f"{number} {word}"] = [
            shown([differences(word, same), differences(word, other), differences(word.upper(), f"{word}!")])
        ]
    hold_drawn("letters", found)


def test_requests() -> None:
    drawn, found = random.Random(55), dict[str, Sequence[str]]()
    for number in range(60):
        chosen = {
            "limit": drawn.choice((None, -1, 0, 1, 5)),
            "words": drawn.choice((None, None, 0, 1, 9)),
            "context": drawn.choice((0, 0, -1, 1)),
        }
        query = drawn.choice(("ice", " ", "", "…", "a", "ﬁrst", "e\u0301"))
        named = {
            drawn.choice(("book", "author", "autor", "language", "limits")): drawn.choice(
                ("x", "english", "de-AT", None)
            )
        }

        def made() -> list[str]:
            one = SearchRequest(query=query, filters=parse_filters(named), **chosen)  # type: ignore[arg-type]  # noqa: B023
            return [f"{shown(one)} {one.n_hits}"]

        found[f"{number} {query!r} {chosen} {named}"] = or_error(made)
    found["filters"] = [shown(Filters(language=language)) for language in ("EN", "german", "xx", "pt-br")]
    hold_drawn("requests", found)
