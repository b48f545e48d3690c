"""Writes any settings as a domain file, for `evaluate` and `tune`."""

import json
from collections.abc import Sequence
from pathlib import Path

from alexandria.chunking.domains import Domain, domain_names, load_domain
from alexandria.errors import refusing


def domain_yaml(domain: Domain, description: str, comments: Sequence[str]) -> str:
    """Return the text of a domain file that loads as `domain`.

    It extends the domain of the same name, or the defaults if there is none, and states each option in which
    `domain` differs from what it extends.

    Args:
        description: one line, for the field of this name.
        comments: printed at the top of the file.
    """
    extended = domain.name if domain.name in domain_names() else None
    base = load_domain(extended, environ={}).options()  # environment variables may differ for the file's user
    options = {
        option: value
        for option, value in domain.options().items()
        if option not in ("domain", "strategy") and base.get(option) != value
    }
    lines = [f"# {_on_one_line(comment)}" for comment in comments]
    if extended:
        lines.append(f"extends: {extended}")
    lines.append(f"description: {_format_scalar(_on_one_line(description))}")
    lines.append(f"strategy: {domain.strategy.name}")
    lines += (f"{option}: {_format_scalar(value)}" for option, value in options.items())
    return "\n".join(lines) + "\n"


def _on_one_line(text: str) -> str:
    """Return a text without line breaks, after which a title from an untrusted book could set an option."""
    return " ".join(text.split())


def _format_scalar(value: object) -> str:
    """Return a value as JSON, which is YAML too."""
    return json.dumps(value, ensure_ascii=False)


def write_text(path: Path, text: str) -> None:
    """Write a domain file.

    Raises:
        ConfigError: the file cannot be written.
    """
    with refusing(f"cannot write {path}", fix="choose another location"):
        path.write_text(text, encoding="utf-8")
