"""Universal Semantic Chunking: the shared model, and the fixed windows that it is compared with."""

from alexandria.chunking.domains import load_domain
from alexandria.embed import Encoder
from alexandria.library.ingest.encoder import installed_encoder


def get_model(name: str | None = None) -> Encoder:
    """Return a model, the same object in every call: its weights are loaded once, when first used.

    Searches, ingests and the functions on plain text use the same object.

    Args:
        name: the name or folder of a sentence-transformers model; by default, the default domain's model.

    Raises:
        ConfigError: the model is not on this machine and cannot be downloaded.
    """
    return installed_encoder(load_domain(options={} if name is None else {"model": name}))


class EmbeddingGenerator:
    """The shared model of the default domain: the same one from every instance."""

    def get_model(self) -> Encoder:
        """Return the model, which is loaded once; `encode(texts)` returns one vector per text."""
        return get_model()


def fixed_window_chunk(text: str, size: int = 500, overlap: int = 50) -> list[str]:
    """Return windows of `size` words, each beginning with the last `overlap` words of the one before.

    It cuts inside sentences and joins words by single spaces: the simplest baseline to compare with. The
    strategy `fixed` makes windows of about this size from whole sentences.

    Raises:
        ValueError: the size is below 1, or the overlap is negative or not below the size.
    """
    if size < 1 or not 0 <= overlap < size:
        raise ValueError(f"a window of {size} words cannot repeat {overlap}: 0 <= overlap < size is needed")
    words = text.split()
    return [" ".join(words[first : first + size]) for first in range(0, len(words), size - overlap)]
