"""The inspect view as one HTML file that needs no network: text, curve, cuts and figures.

Everything from a book is escaped by the template; the Content-Security-Policy allows only the page's own
scripts and style, by their digests, so that nothing else in it can run.
"""

from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader

from alexandria.book import Reason
from alexandria.chunking import explain_boundary
from alexandria.inspection.comparison import Comparison
from alexandria.inspection.figures import figures_of
from alexandria.inspection.inspection import Inspection
from alexandria.inspection.words import (
    domain_settings,
    fragment_of,
    mid_thought_of,
    number_of,
    topic_of,
)
from alexandria.views.html.layout import pieces_of
from alexandria.views.html.templates import templates_from

_ASSETS = Path(__file__).parent / "assets"
_WIDEST_BAR = 100  # units of the drawing


def render(comparison: Comparison) -> str:
    """Return the page for a book, cut in one or more ways."""
    first = comparison.ways[0]
    style = _asset("uplot.css") + _asset("page.css")
    # The licence of the plot library requires its text beside its code.
    scripts = (f"/*\n{_asset('uplot.LICENSE')}*/\n{_asset('uplot.js')}", _asset("page.js"))
    template = _environment().get_template("page.html")
    return template.render(
        policy=_policy(scripts, style),
        scripts=scripts,
        style=style,
        book=first,
        comparison=comparison,
        ways=[(way, figures_of(way), domain_settings(way)) for way in comparison.ways],
        pieces=pieces_of(comparison),
        data={"ways": [_data(way) for way in comparison.ways]},
    )


@cache
def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


def _environment() -> Environment:
    environment = templates_from(FileSystemLoader(_ASSETS))
    environment.filters |= {
        "topic": topic_of,
        "number": number_of,
        "mid_thought": mid_thought_of,
        "fragment": fragment_of,
        "bar_width": lambda count, most: round(count * _WIDEST_BAR / most, 1),
    }
    environment.globals["explain"] = explain_boundary
    environment.globals["Reason"] = Reason
    return environment


def _policy(scripts: Iterable[str], style: str) -> str:
    """Return the Content-Security-Policy: these scripts, this style, and no network at all."""
    allowed = " ".join(f"'{_digest(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src '{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _data(way: Inspection) -> dict[str, Any]:
    """Return the numbers that the script draws; it reads the text from the page."""
    strategy = way.domain.strategy
    return {
        "name": strategy.name,
        "threshold": figures_of(way).threshold,
        "similarities": way.similarities,
        "starts": [start for chunk in way.chunks for start in chunk.sentence_starts],
        "cuts": [
            {
                "gap": boundary.gap,
                "similarity": boundary.similarity,
                "threshold": boundary.threshold,
                "reason": boundary.reason,
                "why": explain_boundary(boundary, strategy),
            }
            for boundary in way.boundaries
        ],
    }
