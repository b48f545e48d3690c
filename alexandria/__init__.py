"""Turn books into a searchable, explainable Qdrant collection."""

__version__ = "0.1.0"
