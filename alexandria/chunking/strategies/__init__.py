"""The strategies, one per file.

To add one, write `strategies/<name>.py` with a frozen dataclass that satisfies `Strategy`: its fields are the
YAML options, and its `segment(embeddings, sizes)` returns the boundaries. Then list it below. Contract tests,
options in domain files and rows in tables follow from that.

An installed package adds one by an entry point of the group `alexandria.strategies`: `name = "module:Class"`.
"""

from collections.abc import Mapping

from alexandria.chunking.strategies.centroid import Centroid
from alexandria.chunking.strategies.fixed import Fixed
from alexandria.chunking.strategies.optimal import Optimal
from alexandria.chunking.strategies.percentile import Percentile
from alexandria.chunking.strategies.recursive import Recursive
from alexandria.chunking.strategies.smoothed import Smoothed
from alexandria.chunking.strategies.tiered import Tiered
from alexandria.chunking.strategies.universal_semantic import UniversalSemantic
from alexandria.chunking.strategy import Strategy, is_strategy
from alexandria.system.plugins import Registry

_SHIPPED: tuple[type[Strategy], ...] = (
    Optimal,
    UniversalSemantic,
    Percentile,
    Tiered,
    Smoothed,
    Centroid,
    Recursive,
    Fixed,
)

STRATEGIES: Mapping[str, type[Strategy]] = Registry(
    "alexandria.strategies",
    {strategy.name: strategy for strategy in _SHIPPED},
    kind="strategy",
    accepts=is_strategy,
)  # every strategy by name, in the order in which they are listed
