"""The commands on domains: `domains list`, `show` and `init`."""

from typing import Annotated

import typer

from alexandria.cli.chosen import (
    chosen_domain,
)
from alexandria.cli.completion import complete_domain
from alexandria.cli.help import Command, Group
from alexandria.cli.options import (
    ConfigFile,
    Json,
    Settings,
    StrategyName,
    Threshold,
)

app = typer.Typer(
    cls=Group, help="Show and create domains: how the books of each field are cut.", no_args_is_help=True
)


@app.command("list", cls=Command)
def list_domains(json: Json = False) -> None:
    """List all domains: the shipped ones and your own."""
    from alexandria.config import domain_names, load_domain
    from alexandria.views import json as documents
    from alexandria.views import terminal as display

    domains = [load_domain(name) for name in domain_names()]
    if json:
        display.print_json([documents.domain_document(domain) for domain in domains])
    else:
        display.show_domains(domains)


@app.command("show", cls=Command)
def show_domain(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A domain.", autocompletion=complete_domain)],
    origin: Annotated[bool, typer.Option("--origin", help="Show where each value comes from.")] = False,
    strategy: StrategyName = None,
    threshold: Threshold = None,
    settings: Settings = None,
    config: ConfigFile = None,
    json: Json = False,
) -> None:
    """Show every option of a domain."""
    from alexandria.views import json as documents
    from alexandria.views import terminal as display

    chosen = chosen_domain(name, strategy, threshold, settings, config)
    if json:
        document = documents.origins_document if origin else documents.domain_document
        display.print_json(document(chosen))
    else:
        display.show_domain(chosen, origins=origin)


@app.command("init", cls=Command)
def init_domain(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the new domain.")],
) -> None:
    """Create a commented domain file in your configuration folder."""
    from alexandria.config import init_domain as create
    from alexandria.config import shipped_folder
    from alexandria.views import terminal as display

    display.show_message(f"wrote {create(name)}")
    if (shipped_folder() / f"{name}.yaml").is_file():
        display.show_message(
            f"it shadows the domain {name} that comes with Alexandria: its values count first"
        )
