"""The domains, and the options of one."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from rich import box
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from alexandria.chunking.domains import Domain
from alexandria.show.json.configuration import OptionEntry, origins_document
from alexandria.show.terminal.console import out, safe


def show_domains(domains: Sequence[Domain]) -> None:
    """Print the domains, one per line, with the costs and limits that each changes."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("domain", "strategy", "changes", "description"):
        table.add_column(name)
    for domain in domains:
        usual = asdict(type(domain.strategy)())
        changed = {
            option: value for option, value in asdict(domain.strategy).items() if value != usual[option]
        }
        table.add_row(
            Text(safe(domain.name)),
            domain.strategy.name,
            Text(safe(", ".join(f"{option} {value}" for option, value in changed.items()))),
            Text(domain.description),
        )
    out.print(table)


def show_domain(domain: Domain, *, origins: bool) -> None:
    """Print a domain's options, with the origin of each if requested, and what its costs are."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("option", "value", *(["from"] if origins else [])):
        table.add_column(name, overflow="fold")  # the end of an origin says which line of which file
    for key, entry in origins_document(domain).items():
        table.add_row(key, Text(_in_yaml(entry["value"])), *([Text(entry["origin"])] if origins else []))
    out.print(table)
    _show_costs(origins_document(domain))


def _in_yaml(value: object) -> str:
    """Return a value as it is written in a domain file."""
    return json.dumps(value) if value is None or isinstance(value, bool) else str(value)


def _show_costs(options: Mapping[str, OptionEntry]) -> None:
    """Print what the options of the strategy mean, costs by an example, and why the domain has a value."""
    explained = {key: entry for key, entry in options.items() if entry["what"] or entry["comment"]}
    if explained:
        out.print(
            Text("\nWhat they mean; with a cost above 0 a cut (|) there reads worse, below 0 better", "bold")
        )
    for key, entry in explained.items():
        what = f": {entry['what']}" if entry["what"] else ""
        out.print(Text(f"{key} {_in_yaml(entry['value'])}{what}"))
        if entry["example"]:
            out.print(Padding(Text(entry["example"], "dim"), (0, 0, 0, 4)))
        if entry["comment"]:
            out.print(Padding(Text(f"in this domain: {safe(entry['comment'])}"), (0, 0, 0, 4)))
