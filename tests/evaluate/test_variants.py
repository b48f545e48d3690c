"""The settings that one command compares: what they must have in common."""

import pytest

from alexandria.errors import ConfigError
from alexandria.evaluate.variants import parse_settings, parse_variants

FIX = "use one value of notes for all settings; --config FILE sets that of the domain"


def test_settings_that_read_notes_differently_are_refused_with_a_fix() -> None:
    with pytest.raises(ConfigError, match="notes=inline, the others notes=attach") as refused:
        parse_settings(["fixed", "optimal notes=inline"])
    assert refused.value.fix == FIX
    with pytest.raises(ConfigError, match="notes=inline, the others notes=attach") as refused:
        parse_variants("fixed,optimal notes=inline", None, None)
    assert refused.value.fix == FIX


def test_settings_of_a_review_may_have_models_of_their_own() -> None:
    models = [variant.domain.model for variant in parse_variants("fixed,optimal model=x", None, None)]
    assert models[1] == "x" != models[0]
