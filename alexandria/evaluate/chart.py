"""A chart of estimates with their intervals, as SVG or as a page that holds it; nothing to install for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from alexandria.errors import ConfigError, io_reason
from alexandria.evaluate.bootstrap import Estimate

_ROW, _LABELS, _PLOT, _TOP = (
    22,
    330,
    420,
    46,
)  # pixels: a line of text, the longest label, the scale, the title
_STYLE = "font: 13px system-ui, sans-serif"


@dataclass(frozen=True, slots=True)
class Bar:
    """A line of the chart."""

    label: str
    estimate: Estimate


def write_chart(path: Path, title: str, bars: Sequence[Bar]) -> None:
    """Write the chart, as the file's name says: `.svg` or `.html`.

    Raises:
        ConfigError: another ending, or the file cannot be written.
    """
    if path.suffix.lower() not in {".svg", ".html"}:
        raise ConfigError(
            f"cannot draw a chart into {path}",
            why="its name ends in neither .svg nor .html",
            fix="name it so",
        )
    svg = draw(title, bars)
    page = f'<!doctype html><meta charset="utf-8"><title>{escape(title)}</title>{svg}'
    try:
        path.write_text(svg if path.suffix.lower() == ".svg" else page, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot write {path}", why=io_reason(error), fix="choose another place") from error


def draw(title: str, bars: Sequence[Bar]) -> str:
    """Return the chart as SVG: a line a bar, its value as a dot, its interval as a stroke, from 0 to 1."""
    height = _TOP + _ROW * len(bars) + 10
    width = _LABELS + _PLOT + 70
    marks = "".join(_scale_mark(tenth / 5, height) for tenth in range(6))
    lines = "".join(_line(bar, _TOP + _ROW * i + _ROW / 2) for i, bar in enumerate(bars))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" style="{_STYLE}" role="img"><title>{escape(title)}</title>'
        f'<rect width="100%" height="100%" fill="white"/>'
        f'<text x="10" y="18" font-weight="bold">{escape(title)}</text>{marks}{lines}</svg>\n'
    )


def _at(value: float) -> float:
    return round(_LABELS + _PLOT * min(max(value, 0), 1), 1)


def _scale_mark(value: float, height: int) -> str:
    x = _at(value)
    return (
        f'<line x1="{x}" x2="{x}" y1="{_TOP - 4}" y2="{height - 8}" stroke="#ddd"/>'
        f'<text x="{x}" y="{_TOP - 8}" text-anchor="middle" fill="#666">{value:.1f}</text>'
    )


def _line(bar: Bar, y: float) -> str:
    one = bar.estimate
    low, high = _at(one.low), _at(one.high)
    return (
        f'<text x="{_LABELS - 10}" y="{y + 4}" text-anchor="end">{escape(bar.label)}</text>'
        f'<line x1="{low}" x2="{high}" y1="{y}" y2="{y}" stroke="#7aa6c2" stroke-width="5"/>'
        f'<circle cx="{_at(one.value)}" cy="{y}" r="4" fill="#1f4e6b"/>'
        f'<text x="{_LABELS + _PLOT + 12}" y="{y + 4}">{one.value:.3f}</text>'
    )
