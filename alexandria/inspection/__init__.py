"""What `inspect` shows: a book's cuts as one value, with their figures.

An `Inspection` is made from an analysis or from a library; the terminal, the HTML page and the JSON all read
it, so that they show the same numbers. Add a figure in `figures.py`, then to the views that should show it.
"""

from typing import TYPE_CHECKING

from alexandria.system.first_use import on_first_use

if TYPE_CHECKING:
    from alexandria.inspection.comparison import Comparison, Place
    from alexandria.inspection.explanation import Edge, Explanation
    from alexandria.inspection.figures import Figures, figures_of
    from alexandria.inspection.inspection import Inspection

__all__ = ["Comparison", "Edge", "Explanation", "Figures", "Inspection", "Place", "figures_of"]

_MODULES = {
    "Comparison": "comparison",
    "Edge": "explanation",
    "Explanation": "explanation",
    "Figures": "figures",
    "Inspection": "inspection",
    "Place": "comparison",
    "figures_of": "figures",
}

# Loaded on first use: most views take only words from this package.
__getattr__ = on_first_use(__name__, __name__, _MODULES)
