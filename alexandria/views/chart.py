"""A chart of scores with their intervals, as SVG or as an HTML page that contains the SVG."""

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from alexandria.errors import ConfigError, io_reason

if TYPE_CHECKING:
    from alexandria.evaluate.bootstrap import ScoreEstimate
    from alexandria.evaluate.boundaries import BoundaryReport
    from alexandria.evaluate.retrieval import RetrievalReport

# In pixels.
_ROW_HEIGHT = 22
_LABEL_WIDTH = 330
_SCALE_WIDTH = 420
_VALUE_WIDTH = 70
"""To the right of the scale, where the score of each row is written."""
_TITLE_HEIGHT = 46
_BOTTOM_MARGIN = 10
_STYLE = "font: 13px system-ui, sans-serif"


@dataclass(frozen=True, slots=True)
class ChartRow:
    """One score, with its label."""

    label: str
    score: "ScoreEstimate"


@dataclass(frozen=True, slots=True)
class Chart:
    """Scores from 0 to 1 under a title."""

    title: str
    rows: tuple[ChartRow, ...]


def boundary_chart(report: "BoundaryReport") -> Chart:
    """Return F1 by task and setting."""
    rows = tuple(
        ChartRow(f"{result.task}: {result.setting}", result.estimates["f1"]) for result in report.results
    )
    return Chart(f"F1 of boundaries, tolerance {report.tolerance} sentences", rows)


def retrieval_chart(report: "RetrievalReport") -> Chart:
    """Return recall within the word budget by setting and mode."""
    rows = tuple(
        ChartRow(f"{run.setting}, {run.mode}", run.estimates["recall_in_budget"])
        for run in (report.baseline, *report.runs)
    )
    return Chart(f"Recall within {report.budget:,} words", rows)


def check_chart_path(path: Path) -> Path:
    """Return the path of a chart to be written.

    Raises:
        ConfigError: its suffix is neither `.svg` nor `.html`.
    """
    if path.suffix.lower() not in {".svg", ".html"}:
        raise ConfigError(
            f"cannot draw a chart as {path}",
            why="a chart is written as SVG or HTML",
            fix="use .svg or .html",
        )
    return path


def write_chart(path: Path, chart: Chart) -> None:
    """Write the chart as SVG or HTML, as the suffix of the path says.

    Raises:
        ConfigError: another suffix, or the file cannot be written.
    """
    is_svg = check_chart_path(path).suffix.lower() == ".svg"
    svg = svg_of(chart)
    page = f'<!doctype html><meta charset="utf-8"><title>{escape(chart.title)}</title>{svg}'
    try:
        path.write_text(svg if is_svg else page, encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"cannot write {path}", why=io_reason(error), fix="choose another location"
        ) from error


def svg_of(chart: Chart) -> str:
    """Return the chart as SVG: one line per row, the value as a dot, its interval as a bar, from 0 to 1."""
    height = _TITLE_HEIGHT + _ROW_HEIGHT * len(chart.rows) + _BOTTOM_MARGIN
    width = _LABEL_WIDTH + _SCALE_WIDTH + _VALUE_WIDTH
    title = escape(chart.title)
    ticks = "".join(_draw_tick(fifth / 5, height) for fifth in range(6))
    lines = "".join(
        _draw_row(row, _TITLE_HEIGHT + _ROW_HEIGHT * i + _ROW_HEIGHT / 2) for i, row in enumerate(chart.rows)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" style="{_STYLE}" role="img"><title>{title}</title>'
        f'<rect width="100%" height="100%" fill="white"/>'
        f'<text x="10" y="18" font-weight="bold">{title}</text>{ticks}{lines}</svg>\n'
    )


def _x_of_score(value: float) -> float:
    """Return the horizontal position of a score; one outside 0 to 1 is drawn at the edge."""
    return round(_LABEL_WIDTH + _SCALE_WIDTH * min(max(value, 0), 1), 1)


def _draw_tick(value: float, height: int) -> str:
    """Return a vertical line of the grid with its label; `height` is that of the chart."""
    x = _x_of_score(value)
    return (
        f'<line x1="{x}" x2="{x}" y1="{_TITLE_HEIGHT - 4}" y2="{height - 8}" stroke="#ddd"/>'
        f'<text x="{x}" y="{_TITLE_HEIGHT - 8}" text-anchor="middle" fill="#666">{value:.1f}</text>'
    )


def _draw_row(row: ChartRow, y: float) -> str:
    """Return a row: label, interval, dot and value, with its centre at height `y`."""
    score = row.score
    low, high = _x_of_score(score.low), _x_of_score(score.high)
    return (
        f'<text x="{_LABEL_WIDTH - 10}" y="{y + 4}" text-anchor="end">{escape(row.label)}</text>'
        f'<line x1="{low}" x2="{high}" y1="{y}" y2="{y}" stroke="#7aa6c2" stroke-width="5"/>'
        f'<circle cx="{_x_of_score(score.value)}" cy="{y}" r="4" fill="#1f4e6b"/>'
        f'<text x="{_LABEL_WIDTH + _SCALE_WIDTH + 12}" y="{y + 4}">{score.value:.3f}</text>'
    )
