"""A few unusual texts by which two computations of a model are compared."""

# Tokenizers and masks differ on such texts: short, long, cased, accented, unspaced, empty, too long.
PROBES = (
    "What is knowledge?",
    "  ÉCOLE, naïve — 東京は大きい。 ﬁn\u00adal\tend…",
    "",
    "The appearance of a table changes with the light and with the place from which it is seen. " * 3,
    "the same words over and over " * 200,
)
# A wrong pooling, tokenizer or mask costs .01 and more; rounding in float32 leaves .9999999, in f16 .99999.
MIN_COSINE = 0.9999
