"""The commands on domains: `domains list`, `show` and `init`."""

from typing import Annotated

from alexandria.doors.cli.chosen import App, Cutting
from alexandria.doors.cli.completion import complete_domain
from alexandria.doors.cli.help import Group
from alexandria.doors.cli.options import ConfigFile, Json, Settings, StrategyName, Threshold, argument, option
from alexandria.doors.cli.printing import print_json, show_message
from alexandria.errors import ConfigError

domains = App(
    cls=Group, help="Show and create domains: how the books of each field are cut.", no_args_is_help=True
)
app = App()
app.add_typer(domains, name="domains")


@domains.command("list")
def list_domains(json: Json = False) -> None:
    """List all domains: the shipped ones and your own."""
    from alexandria.chunking.domains import Domain, domain_names, load_domain
    from alexandria.show.json.configuration import domain_document
    from alexandria.show.terminal.domains import show_domains

    domains, errors = list[Domain](), list[ConfigError]()
    for name in domain_names():
        try:
            domains.append(load_domain(name))
        except ConfigError as error:
            errors.append(error)
    if not json:
        show_domains(domains)
    if errors:  # the others are of use, and shown
        raise errors[0]
    if json:
        print_json([domain_document(domain) for domain in domains])


@domains.command("show")
def show(
    name: Annotated[str, argument("NAME", "A domain.", autocompletion=complete_domain)],
    origin: Annotated[bool, option("--origin", "Show where each value comes from.")] = False,
    strategy: StrategyName = None,
    threshold: Threshold = None,
    settings: Settings = None,
    config: ConfigFile = None,
    json: Json = False,
) -> None:
    """Show every option of a domain."""
    from alexandria.show.json.configuration import domain_document, origins_document
    from alexandria.show.terminal.domains import show_domain

    chosen = Cutting(name, strategy, threshold, settings, config).request().single_domain()
    if json:
        document = origins_document if origin else domain_document
        print_json(document(chosen))
    else:
        show_domain(chosen, origins=origin)


@domains.command("init")
def init_domain(name: Annotated[str, argument("NAME", "The name of the new domain.")]) -> None:
    """Create a commented domain file in your configuration folder."""
    from alexandria.chunking.domains import init_domain as create
    from alexandria.chunking.domains import shipped_folder

    show_message(f"wrote {create(name)}")
    if (shipped_folder() / f"{name}.yaml").is_file():
        show_message(f"it shadows the domain {name} that comes with Alexandria: its values take precedence")
