"""The pages of `--help`: the group of each command, its examples, and its rare options.

The tables are what a new command adds a line to. Imports nothing that takes time.
"""

from collections.abc import Mapping

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Everyday": (
        "ingest", "search", "find", "read", "open", "cite", "list", "show", "edit", "remove", "serve",
    ),
    "Cuts": ("inspect", "domains"),
    "Programs": ("mcp", "export", "models"),
    "Care": ("status", "doctor", "verify", "repair", "backup", "restore", "copy", "cache"),
    "For developers": ("evaluate", "tune", "extract", "schema"),
}  # fmt: skip
"""The commands of each group, in the order in which they are listed."""
UNLISTED = "For developers"
"""The group that only `alexandria help --all` lists."""

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "ingest": ("ingest books", "ingest republic.epub --domain philosophy"),
    "search": ("search what is justice", 'search "the cave and the sun" --author plato -k 3'),
    "find": ("find the unexamined life is not worth living", 'find "no man is an island" --author donne'),
    "read": ("read 3fb1c2d9-565 --context 1", "read republic --page 214"),
    "open": ("open 3fb1c2d9-565", "open 3fb1c2d9-565 --browser"),
    "cite": ("cite 3fb1c2d9-565", "cite 3fb1c2d9-565 --style apa"),
    "list": ("list", "list --author plato"),
    "show": ("show republic", "show republic --chunks"),
    "edit": ('edit republic --author "Plato"', "edit republic --date 1894"),
    "remove": ("remove republic", "remove republic symposium --yes"),
    "serve": ("serve", "serve --port 8000"),
    "inspect": ("inspect republic.epub", "inspect 3fb1c2d9-565", "inspect republic.epub --html cuts.html"),
    "mcp": ("mcp", "mcp --store my-library"),
    "export": ("export books.jsonl", "export plato.parquet --author plato"),
    "status": ("status", "status --failures"),
    "doctor": ("doctor", "doctor --store my-library"),
    "verify": ("verify", "verify --store my-library"),
    "repair": ("repair", "repair books"),
    "backup": ("backup books.zip", "backup books.zip --store my-library"),
    "restore": ("restore books.zip", "restore books.zip --store my-library"),
    "copy": ("copy --to other-library", "copy --to http://localhost:6333"),
    "tune": ("tune books/*.epub", "tune books/*.epub --domain philosophy"),
    "extract": ("extract republic.epub", "extract republic.epub --text"),
    "schema": ("schema", "schema search"),
}
"""How each command is used, without the word `alexandria`."""

RARE: Mapping[str, frozenset[str]] = {
    "ingest": frozenset(
        {"strategy", "threshold", "settings", "config", "keep_matter", "no_cache", "again", "fail_fast",
         "log_json", "workers", "ray", "password_file"}
    ),
    "search": frozenset({"mode", "all_editions", "diverse", "rerank", "rerank_weight", "style", "full"}),
    "inspect": frozenset(
        {"strategy", "threshold", "settings", "config", "keep_matter", "no_cache", "password_file", "ocr",
         "around", "all_gaps", "model", "chunk"}
    ),
}  # fmt: skip
"""Of commands with many options, the parameters that the page of `--help` names without describing them."""
