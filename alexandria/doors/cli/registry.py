"""Which module has which command. It is imported when one of its commands, or their help, is asked for."""

from collections.abc import Iterator, Mapping
from typing import Any

import typer

from alexandria.doors.cli.help import Group
from alexandria.doors.cli.state import repeat_options
from alexandria.system.annexes import is_built, load

MODULES: Mapping[str, tuple[str, ...]] = {
    "alexandria.doors.cli.ingest": ("ingest",),
    "alexandria.doors.cli.inspect": ("inspect", "extract"),
    "alexandria.doors.cli.library": ("search", "list", "show", "export", "copy"),
    "alexandria.doors.cli.upkeep": ("backup", "restore", "repair", "verify"),
    "alexandria.doors.cli.passages": ("read", "open", "find", "cite"),
    "alexandria.doors.cli.checking": ("check",),
    "alexandria.doors.cli.manage": ("remove", "edit", "status"),
    "alexandria.doors.cli.domains": ("domains",),
    "alexandria.doors.cli.installation": ("models", "cache", "doctor", "schema"),
    "alexandria.doors.mcp.command": ("mcp",),
    "alexandria.doors.web.command": ("serve",),
    "alexandria.lab.command": ("evaluate", "tune"),
}
"""The modules with their commands, those of the `App` that each holds as `app`; one may be in an annex."""


class Commands(Mapping[str, Any]):
    """The commands of the program by name."""

    def __init__(self, own: Mapping[str, Any], options: Any) -> None:
        """Begin with the commands that need no module.

        Args:
            own: these commands.
            options: those of the program, some of which every command takes.
        """
        repeat_options(own, options)
        self._own, self._options, self._built = own, options, dict(own)

    def __getitem__(self, name: str) -> Any:
        """Return a command; import its module, which makes the others of that module too.

        Raises:
            KeyError: there is none of this name.
            MissingAnnexError: this build has not got it.
        """
        for module, names in MODULES.items():
            if name in names and name not in self._built:
                program = typer.Typer(rich_markup_mode=None)
                program.add_typer(load(module).app)
                made = typer.main.get_group(program).commands
                repeat_options(made, self._options)
                self._built.update(made)
        return self._built[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from (name for module, names in MODULES.items() if is_built(module) for name in names)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Program(Group):
    """The program, with all its commands."""

    commands: Any

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = Commands(self.commands, self.params)
