"""A model computed by torch leaves the program around it as it was."""

import subprocess
import sys

import pytest

from alexandria.embed import load_encoder
from alexandria.errors import ConfigError
from alexandria.modes import Backend, Precision

# The libraries read the environment when they are imported: here no earlier than the model is loaded.
_LOAD = """
import os

os.environ.pop("HF_HUB_OFFLINE", None)

def settings():
    names = ("HF_", "TOKENIZERS_", "TRANSFORMERS_")
    return {name: value for name, value in os.environ.items() if name.startswith(names)}

before = settings()
from alexandria.embed import Backend, load_encoder
load_encoder(backend=Backend.TORCH).encode(["A text."])
assert settings() == before

from huggingface_hub import constants
from transformers.utils import logging
assert not constants.HF_HUB_OFFLINE
assert logging.is_progress_bar_enabled()
"""


def test_after_a_model_is_loaded_the_program_can_use_the_hub_as_before() -> None:
    done = subprocess.run([sys.executable, "-c", _LOAD], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_int8_is_refused_with_the_reason() -> None:
    """Before anything is loaded, and whether or not torch is installed."""
    with pytest.raises(ConfigError, match="cannot compute the model all-MiniLM-L6-v2 in int8") as error:
        load_encoder(backend=Backend.TORCH, precision=Precision.INT8).encode(["A text."])
    assert (error.value.why, error.value.fix) == (
        "torch computes it, and int8 is there with OpenVINO only",
        "--set precision=auto",
    )
