"""The package keeps to a budget of lines of code: to raise a number is a decision, with its reason."""

import ast
import tokenize
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "alexandria"

# To raise a number is a decision: write beside it what a user gets for it.
BUDGET = {
    "extract": 17_554,  # 1,007: heads, layers, articles, captions, scripts; 211: LaTeX; 249: verses, bylines
    "store": 6_404,  # 272: letters, where quotations are found; 66: words of scripts; 32: chapters by author
    "views": 3_788,  # 198: check, its page and notebook; 31: costs drawn, strategies in columns
    "embed": 2_832,  # 12: words that a model knows; 20: encoders tell how far they are
    "cli": 2_853,  # 100: check; 48: --volume, notices in logs, references; 240: short help with examples
    "": 2_899,  # the modules beside the packages; 73: volumes; 47: chapters; 25: notes; 47: filters by words
    "chunking": 1_914,  # 26: cuts explained by content; 279 less: words are a text file; 45: turns of plays
    "batch": 2_168,  # 7: volumes; 120: edited people and dates; a bar that moves by sentences; 15: dry runs
    "evaluate": 1_877,
    "library": 2_029,  # 53: check; 54: chapters, filters that nothing passes, a dry run; 110: citations
    "query": 3_127,  # 58: what strong means; 136: words compared; 353: places; 85: denials; 32: headings
    "config": 1_001,  # 46: the encoder of a domain; 10: options for one strategy
    "reading": 989,  # 5: a change to any code that reads gives another cached book
    "inspection": 822,  # 88: from what to what a cut goes, the words of its signs, the next best place
    "serve": 919,  # 25: pasted texts; 160: quotations are copied, editions are one, pages show their own text
    "passages": 1_700,  # 70: articles; 36: volumes, verses, chapters; 34: what CSL gets wrong; 97: places
    "mcp": 816,  # 39: quotations of an answer; 110: what each tool returns as a value; 12: what was read
    "described": 379,  # 25: their names in one place, beside the package's own
    "check": 1_542,  # quotations and citations of manuscripts against the books; 240: highlights of e-readers
    "integrations": 242,
    "system": 220,  # whether a book fits into memory; which processor it is
}
TOTAL = 56_075
_LAYOUT = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
}


def n_lines_of_code(source: str) -> int:
    """Return the number of lines with code: not blank, not a comment, not part of a docstring."""
    tokens = tokenize.generate_tokens(StringIO(source).readline)
    filled = {
        number
        for token in tokens
        if token.type not in _LAYOUT
        for number in range(token.start[0], token.end[0] + 1)
    }
    return len(filled.difference(*docstring_lines(ast.parse(source))))


def docstring_lines(tree: ast.Module) -> Iterator[range]:
    """Yield the lines of each docstring."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and (
            ast.get_docstring(node, clean=False) is not None
        ):
            yield range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)


@pytest.mark.parametrize(
    ("source", "n_lines"),
    [
        ("x = 1\n\n# a comment\ny = 2  # another\n", 2),
        (
            '"""A module."""\n\ndef f():\n    """Do.\n\n    More.\n    """\n    return (\n        1\n    )\n',
            4,
        ),
        ('text = """two\nlines"""\n', 2),
        ('class A:\n    x: int\n    """Of a field: it counts."""\n', 3),
        ("", 0),
    ],
)
def test_lines_of_code_are_counted(source: str, n_lines: int) -> None:
    assert n_lines_of_code(source) == n_lines


def test_the_package_and_each_of_its_parts_keep_to_their_budget() -> None:
    sizes: Counter[str] = Counter()
    for path in PACKAGE.rglob("*.py"):
        part = path.relative_to(PACKAGE).parts[0] if path.parent != PACKAGE else ""
        sizes[part] += n_lines_of_code(path.read_text(encoding="utf-8"))
    assert sizes.keys() == BUDGET.keys()
    assert {part: n for part, n in sizes.items() if n > BUDGET[part]} == {}
    assert sizes.total() <= TOTAL
