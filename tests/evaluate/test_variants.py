"""The settings that one command compares: what they must have in common."""

import pytest

from alexandria.errors import ConfigError
from alexandria.lab.settings import parse_settings

FIX = "use one value of notes for all settings; --config FILE sets that of the domain"


def test_settings_that_read_notes_differently_are_refused_with_a_fix() -> None:
    with pytest.raises(ConfigError, match="notes=inline, the others notes=attach") as refused:
        parse_settings(["fixed", "optimal notes=inline"])
    assert refused.value.fix == FIX
