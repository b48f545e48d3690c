"""Embeddings become a `Segmentation`, and a `Segmentation` becomes chunks.

To add a strategy: write `chunking/<name>.py`, a frozen dataclass whose fields are its YAML options, with
`segment(embeddings, sizes) -> boundaries`, and add a line to `STRATEGIES`. Its contract tests, its options
in domains and its row in the tables come unasked.
"""
