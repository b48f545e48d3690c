"""The inspect view as one HTML file that needs no network: text, curve, cuts and figures.

The template escapes everything from a book; the Content-Security-Policy allows only the page's own scripts
and style, by their digests, so that nothing else in the page can run.
"""

from typing import Any

from jinja2 import Environment, FileSystemLoader

from alexandria.book.model import Reason
from alexandria.book.wording import number_of, topic_of
from alexandria.library.inspect.comparison import Comparison
from alexandria.library.inspect.inspection import Inspection
from alexandria.show.html.layout import ASSETS, asset, make_environment, pieces_of, security_policy

_MAX_BAR_WIDTH = 100  # the width of the longest bar of a histogram, in SVG user units


def render(comparison: Comparison) -> str:
    """Return the page for a book, as one or more strategies cut it."""
    first = comparison.inspections[0]
    style = asset("uplot.css") + asset("page.css")
    # The licence of the plot library must be distributed with its code.
    scripts = (f"/*\n{asset('uplot.LICENSE')}*/\n{asset('uplot.js')}", asset("page.js"))
    template = _make_environment().get_template("page.html")
    return template.render(
        policy=security_policy(scripts, style),
        scripts=scripts,
        style=style,
        book=first,
        comparison=comparison,
        pieces=pieces_of(comparison),
        data={"ways": [_script_data(inspection) for inspection in comparison.inspections]},
    )


def _make_environment() -> Environment:
    """Return the environment of the template of the page, with the filters that only this page needs."""
    environment = make_environment(FileSystemLoader(ASSETS))
    environment.filters |= {
        "topic": topic_of,
        "number": number_of,
        "bar_width": lambda count, most: round(count * _MAX_BAR_WIDTH / most, 1),
    }
    environment.globals["Reason"] = Reason
    return environment


def _script_data(inspection: Inspection) -> dict[str, Any]:
    """Return the numbers that the script draws; it reads the text from the page."""
    return {
        "name": inspection.domain.strategy.name,
        "threshold": inspection.figures.line,
        "similarities": inspection.similarities,
        "costs": inspection.costs or None,
        "starts": [start for chunk in inspection.chunks for start in chunk.sentence_starts],
        "cuts": [
            {
                "gap": chunk.boundary.gap,
                "similarity": chunk.boundary.similarity,
                "threshold": chunk.boundary.threshold,
                "reason": chunk.boundary.reason,
                "why": inspection.reasons[chunk.index],
            }
            for chunk in inspection.chunks
            if chunk.boundary
        ],
    }
