"""Default values that the command line shows in `--help`. Imports nothing that takes time."""

TOLERANCE = 2
"""Sentences by which a boundary may be off and still count: about the length of a transition."""
K = 5
"""Passages per question, as many as a search returns by default."""
BUDGET = 1000
"""Words that a reader, or a model's prompt, takes from the passages."""
N_DOCUMENTS = 100
"""Documents concatenated from passages."""
N_SETTINGS = 100
"""Settings tried: enough that one of the best 3 % of the grid is among them in 95 of 100 searches."""
