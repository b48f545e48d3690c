"""Charts: well-formed, escaped, in the form that the name asks for."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from alexandria.errors import ConfigError
from alexandria.evaluate.bootstrap import Estimate
from alexandria.evaluate.chart import Bar, draw, write_chart

BARS = [Bar("a < b & c", Estimate(0.5, 0.4, 0.6)), Bar("all", Estimate(1.0, 1.0, 1.0))]


def test_a_chart_has_a_line_a_bar_and_is_well_formed() -> None:
    root = ElementTree.fromstring(draw("T & U", BARS))
    dots = [one for one in root.iter() if one.tag.endswith("circle")]
    assert len(dots) == len(BARS)
    assert float(dots[0].attrib["cx"]) < float(dots[1].attrib["cx"])
    assert "a < b & c" in [one.text for one in root.iter() if one.tag.endswith("text")]


@pytest.mark.parametrize(("name", "start"), [("c.svg", "<svg"), ("c.html", "<!doctype html>")])
def test_the_name_says_the_form(tmp_path: Path, name: str, start: str) -> None:
    write_chart(tmp_path / name, "T", BARS)
    assert (tmp_path / name).read_text().startswith(start)


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="neither"):
        write_chart(tmp_path / "c.gif", "T", BARS)
