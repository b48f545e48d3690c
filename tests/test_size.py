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
    "extract": 15_895,  # 313: layers, style sheets, where good guesses were wrong; 2,568: strangers
    "store": 5_985,  # 134: ties; 48: space of deleted points; 49: refusals; 76: read only, read again
    "views": 3_436,  # 7: deleted chunks; 99: a bar by sentences; pending ingests; 8: books to read again
    "embed": 2_549,  # 12: words that a model knows; 20: encoders tell how far they are
    "cli": 2_785,  # 42: notices in logs, lists of references; 240: short help with examples; 18: read again
    "": 2_416,  # the modules beside the packages; 25: what was left out, notes; 373: names; 9: known vectors
    "chunking": 1_992,  # 279 less: words are a text file; 45: turns of plays; 285: talk, names, arrivals
    "batch": 2_151,  # 120: edited people and dates; a bar that moves by sentences; 44: rereading
    "evaluate": 1_885,
    "library": 1_756,  # 14: filters that nothing passes; 33: a dry run, an exit; 110: citations; 15: copies
    "query": 2_356,  # 21: ties; 195: steps, quotations, a cross-encoder; 740: names, slips, editions
    "config": 1_100,  # 46: the encoder of a domain; 10: options for one strategy
    "reading": 1_002,  # 5: a change to any code that reads gives another cached book
    "inspection": 728,
    "serve": 892,  # 160: quotations are found and copied, editions are one, pages show their own text
    "passages": 1_488,  # 34: what an engine of CSL gets wrong; 64: places, names; 735: styles, RIS, CSL
    "mcp": 792,  # 5: passages before a hit; 110: what each tool returns as a value; 10: what was read
    "described": 385,  # 25: their names in one place, beside the package's own
    "integrations": 245,
    "system": 220,  # whether a book fits into memory; which processor it is; 4: copies of libraries
}
TOTAL = 50_049
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
