"""What stands between quotation marks, in every language, and what only looks like it."""

from alexandria.library.check.marks import marked_spans


def spans(text: str) -> list[str]:
    return [text[span.start : span.end] for span in marked_spans(text) if not span.is_inner]


def test_what_is_between_marks() -> None:
    cases: dict[str, tuple[str, list[str]]] = {
        "English": ("He said “one”, and “two”.", ["one", "two"]),
        "straight": ("A \"straight one\" and ('another').", ["straight one", "another"]),
        "German": ("Sie sagt „eins“ und »zwei«, ‚drei‘.", ["eins", "zwei", "drei"]),
        "French": ("Il dit : « un », puis «deux».", [" un ", "deux"]),
        "Swedish": ("Hon sade ”ett” och »två».", ["ett", "två"]),
        "Japanese": ("彼は「一つ」と『二つ』。", ["一つ", "二つ"]),
        "typewriter": ("``one'' and `two' as of old", ["one", "two"]),
        "two single marks close a double one": ("“one’’ and ``two’’", ["one", "two"]),
        "unless two single ones are open": ("‘a ‘word’’ of “his”", ["a ‘word’", "his"]),
        "nested": ("“‘The lance,’ said Ahab—‘is it safe?’”", ["‘The lance,’ said Ahab—‘is it safe?’"]),
        "nested French": ("« “I have not heard it,” he said. »", [" “I have not heard it,” he said. "]),
        "apostrophes": ("It's 'what isn't theirs', he'd say.", ["what isn't theirs"]),
        "elisions": ("'Twas in the '90s, 'tis said, 'em all.", []),
        "genitive": ("'the soldiers' arms were good', he says", ["the soldiers' arms were good"]),
        "genitive outside": ("the bishops' proofs, 'so much' for them", ["so much"]),
        "inches": ('a 6" board and “one”', ["one"]),
        "unclosed": ("never “closed", []),
        "dashes": ("“one” — “two” (“three”)", ["one", "two", "three"]),
        "blank before the mark": ("“a dash at its end — ” he said", ["a dash at its end — "]),
        "after an apostrophe": ("l’« homme » et d’“un autre”", [" homme ", "un autre"]),
        "emphasis of Markdown": ("**“one”** and *“two”*", ["one", "two"]),
        "empty": ("", []),
    }
    for text, quoted in cases.values():
        assert spans(text) == quoted


def test_marks_without_end_take_no_time() -> None:
    cases = ["“" * 200_000, "\"a' " * 50_000, "s' s " * 50_000, "‘“„«" * 50_000, "“a” " * 50_000]
    for text in cases:
        assert len(marked_spans(text)) <= 100_000
