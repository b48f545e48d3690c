"""What stands between quotation marks, in every language, and what only looks like it."""

import pytest

from alexandria.library.check.marks import marked_spans


def spans(text: str) -> list[str]:
    return [text[span.start : span.end] for span in marked_spans(text) if not span.is_inner]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        pytest.param("He said “one”, and “two”.", ["one", "two"], id="English"),
        pytest.param("A \"straight one\" and ('another').", ["straight one", "another"], id="straight"),
        pytest.param("Sie sagt „eins“ und »zwei«, ‚drei‘.", ["eins", "zwei", "drei"], id="German"),
        pytest.param("Il dit : « un », puis «deux».", [" un ", "deux"], id="French"),
        pytest.param("Hon sade ”ett” och »två».", ["ett", "två"], id="Swedish"),
        pytest.param("彼は「一つ」と『二つ』。", ["一つ", "二つ"], id="Japanese"),
        pytest.param("``one'' and `two' as of old", ["one", "two"], id="typewriter"),
        pytest.param("“one’’ and ``two’’", ["one", "two"], id="two single marks close a double one"),
        pytest.param("‘a ‘word’’ of “his”", ["a ‘word’", "his"], id="unless two single ones are open"),
        pytest.param(
            "“‘The lance,’ said Ahab—‘is it safe?’”", ["‘The lance,’ said Ahab—‘is it safe?’"], id="nested"
        ),
        pytest.param(
            "« “I have not heard it,” he said. »", [" “I have not heard it,” he said. "], id="nested French"
        ),
        pytest.param("It's 'what isn't theirs', he'd say.", ["what isn't theirs"], id="apostrophes"),
        pytest.param("'Twas in the '90s, 'tis said, 'em all.", [], id="elisions"),
        pytest.param(
            "'the soldiers' arms were good', he says", ["the soldiers' arms were good"], id="genitive"
        ),
        pytest.param("the bishops' proofs, 'so much' for them", ["so much"], id="genitive outside"),
        pytest.param('a 6" board and “one”', ["one"], id="inches"),
        pytest.param("never “closed", [], id="unclosed"),
        pytest.param("“one” — “two” (“three”)", ["one", "two", "three"], id="dashes"),
        pytest.param("“a dash at its end — ” he said", ["a dash at its end — "], id="blank before the mark"),
        pytest.param("l’« homme » et d’“un autre”", [" homme ", "un autre"], id="after an apostrophe"),
        pytest.param("**“one”** and *“two”*", ["one", "two"], id="emphasis of Markdown"),
        pytest.param("", [], id="empty"),
    ],
)
def test_what_is_between_marks(text: str, quoted: list[str]) -> None:
    assert spans(text) == quoted


@pytest.mark.parametrize(
    "text", ["“" * 200_000, "\"a' " * 50_000, "s' s " * 50_000, "‘“„«" * 50_000, "“a” " * 50_000]
)
def test_marks_without_end_take_no_time(text: str) -> None:
    assert len(marked_spans(text)) <= 100_000
