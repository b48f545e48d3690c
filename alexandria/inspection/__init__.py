"""What `inspect` shows: a book's cuts as one value, their figures, and the page that draws them.

`Inspection` is made from an analysis or from a library; the terminal, the page and the JSON all read it, so
they tell the same numbers. A figure is added in `figures.py`, and each view may show it.
"""

from alexandria.inspection.comparison import Comparison, Place
from alexandria.inspection.explanation import Edge, Explanation
from alexandria.inspection.figures import Figures, figures_of
from alexandria.inspection.inspection import Inspection

__all__ = ["Comparison", "Edge", "Explanation", "Figures", "Inspection", "Place", "figures_of"]
