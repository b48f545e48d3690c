"""How good the cuts are, measured by a book's own structure and by questions.

    spans → ranking, agreement      the metrics, computed from numbers alone
    bootstrap                       how much a mean, or a difference, would vary
    settings, books_and_questions   what is compared, and on what
    boundaries, retrieval           every strategy (in every search mode) on all of them
    leave_out_marks                 what they find of the author's own divisions without seeing them
    scores                          what a setting is scored by
    tuning                          the best setting on the one half, tested on the other
    reports                         one function per command; figures that need no questions are in
                                    `library/inspect/quality.py`
    tables, terminal, documents     what is shown of them

Strategies and search modes come from their registries, so that a new one appears in every table.
The default values below are what `--help` shows: this module imports nothing that takes time.
"""

TOLERANCE = 2  # sentences by which a boundary may be off and still count: about the length of a transition
K = 5  # passages per question, as many as a search returns by default
BUDGET = 1000  # words that a reader, or a model's prompt, takes from the passages
N_DOCUMENTS = 100  # documents concatenated from passages
N_SETTINGS = 100
"""Settings tried: enough that one of the best 3 % of the grid is among them in 95 of 100 searches."""
