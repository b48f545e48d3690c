"""How good the cuts are: against a book's own structure, against questions, and in a reader's eyes.

    spans → relevance, agreement    the metrics, on numbers alone
    bootstrap                       how far a mean, or a difference, would vary
    corpus, questions, selfmade     what is judged: books, and questions with the passages that answer them
    boundaries, retrieval           every strategy (and mode of search) on all of it
    tune                            the best setting on half of the books, told by the other half
    review                          a person's marks of the cuts

What needs no questions is in `alexandria.inspection.quality`, for `inspect` shows it too.
Strategies and modes are taken from their registries, so a new one appears in every table unasked.
"""
