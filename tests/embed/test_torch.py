"""What torch cannot compute is refused; what loading it leaves behind is tested in test_offline.py."""

import pytest

from alexandria.embed import load_encoder
from alexandria.errors import ConfigError
from alexandria.modes import Backend, Precision


def test_int8_is_refused_with_the_reason() -> None:
    """Before anything is loaded, and whether or not torch is installed."""
    with pytest.raises(ConfigError, match="cannot compute the model all-MiniLM-L6-v2 in int8") as error:
        load_encoder(backend=Backend.TORCH, precision=Precision.INT8).encode(["A text."])
    assert (error.value.why, error.value.fix) == (
        "torch computes it, and int8 is there with OpenVINO only",
        "--set precision=auto",
    )
