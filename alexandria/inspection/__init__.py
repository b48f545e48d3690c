"""What `inspect` shows: a book's cuts as one value, with their figures.

An `Inspection` comes from an analysis or from a library; the terminal, the HTML page and the JSON all read
it, so that they show the same numbers. Add a figure in `figures.py`, then to the views that should show it.
"""

from alexandria.inspection.comparison import Comparison, Place
from alexandria.inspection.explanation import Edge, Explanation
from alexandria.inspection.figures import Figures, figures_of
from alexandria.inspection.inspection import Inspection

__all__ = ["Comparison", "Edge", "Explanation", "Figures", "Inspection", "Place", "figures_of"]
