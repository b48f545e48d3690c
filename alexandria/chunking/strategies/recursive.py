"""A baseline without a model: as many whole paragraphs as fit, or whole sentences of a longer paragraph.

The usual recursive splitter, but on whole sentences: those above the cap are already split when it begins.
"""

from dataclasses import dataclass
from typing import ClassVar

from alexandria.chunking.packing import furthest_paragraph_cut
from alexandria.chunking.strategies.fixed import Fixed


@dataclass(frozen=True, slots=True)
class Recursive(Fixed):
    """Cut at the last paragraph end that fits, otherwise at the last sentence end."""

    name: ClassVar[str] = "recursive"
    furthest = staticmethod(furthest_paragraph_cut)

    def rule(self) -> str:
        """Return the rule in words."""
        return "last paragraph that fits"
