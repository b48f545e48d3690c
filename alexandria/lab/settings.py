"""What is compared: variants of one domain, each with its label, and the books as each variant cuts them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from alexandria.book.model import Book
from alexandria.chunking import STRATEGIES
from alexandria.chunking.domains import Domain, load_domain
from alexandria.chunking.domains.request import MODEL_OPTIONS
from alexandria.embed import Encoder
from alexandria.errors import ConfigError
from alexandria.library.ingest.one_book import Analysis, PendingAnalysis, begin, finish

FIXED = "fixed"  # the strategy that serves as the baseline

_SHARED_OPTIONS = (*MODEL_OPTIONS, "notes")
"""Options that variants share, as the books are read and embedded once for all of them."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to cut, and its label in tables."""

    label: str
    domain: Domain


def variants_of(domain: str | None, config: Path | None, settings: Sequence[str] = ()) -> list[Variant]:
    """Return a variant for every registered strategy, followed by those that the settings describe.

    Raises:
        ConfigError: as `parse_settings` raises.
    """
    return [*registered_variants(domain, config), *parse_settings(settings, domain, config)]


def parse_settings(
    settings: Sequence[str], domain: str | None = None, config: Path | None = None
) -> list[Variant]:
    """Return the variant of each setting, as `parse_variant` reads it.

    Raises:
        ConfigError: an unknown strategy or option, or a setting with another model, precision or reading of
            notes than the domain: the books are read and embedded once, for all.
    """
    variants = [parse_variant(text, domain, config) for text in settings]
    refuse_differences([Variant("", load_domain(domain, file=config)), *variants], _SHARED_OPTIONS)
    return variants


def refuse_differences(variants: Sequence[Variant], options: Sequence[str]) -> None:
    """Refuse a variant in which one of these options has another value than in the first variant.

    Raises:
        ConfigError: there is such a variant.
    """
    first, *others = variants
    for variant in others:
        for option in options:
            value, shared = getattr(variant.domain, option), getattr(first.domain, option)
            if value != shared:
                raise ConfigError(
                    f"cannot compare the setting {variant.label!r} with the others",
                    why=f"it has {option}={value}, the others {option}={shared}",
                    fix=f"use one value of {option} for all settings; --config FILE sets that of the domain",
                )


def refuse_sentences(what: str, domain: Domain) -> None:
    """Refuse to measure or tune, as `what` says, a search by sentences in a domain without their vectors."""
    raise ConfigError(
        f"cannot {what} a search by sentences",
        why=f"the domain {domain.name} stores no sentence vectors",
        fix="--mode hybrid, or sentence_vectors: true",
    )


def registered_variants(domain: str | None = None, config: Path | None = None) -> list[Variant]:
    """Return every strategy: the domain's own with the domain's options, the others with their defaults."""
    return [
        Variant(name, load_domain(domain, options={"strategy": name}, file=config)) for name in STRATEGIES
    ]


def parse_variant(text: str, domain: str | None = None, config: Path | None = None) -> Variant:
    """Return the variant that `STRATEGY OPTION=VALUE…` describes; the text itself is its label.

    Raises:
        ConfigError: no strategy, an unknown strategy or option, or a word without `=`.
    """
    words = text.split()
    if not words:
        raise _unreadable_error(text, "it names no strategy")
    strategy, *assignments = words
    options: dict[str, object] = {"strategy": strategy}
    for assignment in assignments:
        option, equals, value = assignment.partition("=")
        if not equals:
            raise _unreadable_error(text, f"{assignment!r} has no =")
        options[option] = value
    return Variant(text, load_domain(domain, options=options, file=config))


def _unreadable_error(text: str, why: str) -> ConfigError:
    return ConfigError(
        f"cannot read the setting {text!r}",
        why=why,
        fix='as in --setting "optimal max_words=170 min_words=0"',
    )


def describe_strategy(domain: Domain) -> str:
    """Return the strategy with its options: `universal-semantic threshold=0.55 min_words=200 …`.

    Options that are None, which take their value from a preset, are left out.
    """
    strategy = domain.strategy
    options = {option.name: getattr(strategy, option.name) for option in fields(strategy)}
    assignments = [f"{name}={value}" for name, value in options.items() if value is not None]
    return " ".join([strategy.name, *assignments])


@dataclass(frozen=True, slots=True)
class Cutter:
    """Does what `one_book.analyse` does, but reuses everything that does not depend on where the cuts are."""

    pending_analyses: dict[tuple[str, str, int], PendingAnalysis] = field(default_factory=dict)
    """Split and embedded books, by book id, splitter, and the most words a sentence may have."""

    def __call__(self, book: Book, domain: Domain, encoder: Encoder) -> Analysis:
        """Return the book as the domain cuts it, without topics; every call must pass the same encoder."""
        key = (book.id, domain.sentences, domain.strategy.max_words)
        if key not in self.pending_analyses:
            self.pending_analyses[key] = begin(book, domain, encoder)
        return finish(self.pending_analyses[key], domain, topics=False)
