"""How good the cuts are, measured by a book's own structure and by questions.

    spans → relevance, agreement    the metrics, computed from numbers alone
    bootstrap                       how much a mean, or a difference, would vary
    variants, inputs                what is compared; the books and questions it is compared on
    boundaries, retrieval           every strategy (in every search mode) on all of them
    hidden                          what they find of the author's own divisions without seeing them
    chunk_quality                   figures that need no questions (`alexandria.inspection.quality`)
    objectives, division            what a setting is scored by; two halves of the books, or of one
    tuning                          the best setting on the one half, tested on the other
    reports                         one function per command

Strategies and search modes come from their registries, so that a new one appears in every table.
"""
