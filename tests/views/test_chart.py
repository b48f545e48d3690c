"""Charts: well-formed, escaped, in the format that the suffix asks for."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from alexandria.errors import ConfigError
from alexandria.evaluate.bootstrap import ScoreEstimate
from alexandria.views.chart import Chart, ChartRow, svg_of, write_chart

ROWS = (ChartRow("a < b & c", ScoreEstimate(0.5, 0.4, 0.6)), ChartRow("all", ScoreEstimate(1.0, 1.0, 1.0)))


def test_a_chart_has_a_line_per_row_and_is_well_formed() -> None:
    root = ElementTree.fromstring(svg_of(Chart("T & U", ROWS)))
    dots = [one for one in root.iter() if one.tag.endswith("circle")]
    assert len(dots) == len(ROWS)
    assert float(dots[0].attrib["cx"]) < float(dots[1].attrib["cx"])
    assert "a < b & c" in [one.text for one in root.iter() if one.tag.endswith("text")]


@pytest.mark.parametrize(("name", "start"), [("c.svg", "<svg"), ("c.html", "<!doctype html>")])
def test_the_suffix_decides_the_format(tmp_path: Path, name: str, start: str) -> None:
    write_chart(tmp_path / name, Chart("T", ROWS))
    assert (tmp_path / name).read_text().startswith(start)


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="SVG or HTML"):
        write_chart(tmp_path / "c.gif", Chart("T", ROWS))
