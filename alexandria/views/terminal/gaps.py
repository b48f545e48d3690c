"""Gap by gap: the inside of a chunk, the surroundings of a gap, or every gap of a book."""

from rich.cells import cell_len
from rich.console import Group
from rich.text import Text

from alexandria.chunking import describe_kept_together
from alexandria.errors import ConfigError
from alexandria.inspection.figures import figures_of
from alexandria.inspection.inspection import Inspection, sentences_of, words_so_far
from alexandria.inspection.words import count_of, heading_of, overlap_of, similarity_of
from alexandria.views.terminal.chunks import cost_lines, cut_line, sizes_of
from alexandria.views.terminal.console import out, safe
from alexandria.views.terminal.plot import REASON_STYLES
from alexandria.views.terminal.wrapping import tail

_AROUND = 5  # gaps shown on each side of the requested one
_BAR = 20  # characters of the bar for a similarity of 1
_EVERY_GAP_COLUMNS = 38  # of the columns of `every_gap` before the sentences, and of what separates these
_MIN_SENTENCE_WIDTH = 10  # columns of a sentence beside a gap, however narrow the terminal is


def show_chunk(inspection: Inspection, number: int) -> None:
    """Print a chunk with its sentences, the similarity at each gap inside, and the cuts around it.

    Raises:
        ConfigError: there is no such chunk.
    """
    if not 0 <= number < len(inspection.chunks):
        raise ConfigError(
            f"there is no chunk {number}",
            why=f"the book has {len(inspection.chunks):,}, counted from 0",
            fix="alexandria inspect lists the numbers",
        )
    chunk = inspection.chunks[number]
    out.print(Text(safe(heading_of(chunk.headings)), "bold"))
    out.print(Text(sizes_of(chunk), "dim"))
    if repeated := overlap_of(chunk):
        out.print(Text(safe(repeated), "dim"))
    threshold = figures_of(inspection).threshold
    gap_before = chunk.first_sentence - 1
    gap_after = gap_before + chunk.n_sentences
    out.print(_gap_lines(inspection, range(gap_before, gap_after + 1), threshold))


def show_around(inspection: Inspection, gap: int) -> None:
    """Print the sentences around a gap, with the similarity between neighbours.

    Raises:
        ConfigError: there is no such gap.
    """
    n = len(inspection.similarities)
    if not 0 <= gap < n:
        raise ConfigError(
            f"there is no gap {gap}",
            why=f"the book has {n:,}, counted from 0" if n else "the book has none: it is one sentence",
            fix="alexandria inspect --all-gaps lists them",
        )
    chunk = inspection.chunk_of(gap)  # gap i comes after sentence i
    out.print(Text(safe(heading_of(chunk.headings)), "bold"))
    shown = range(gap - _AROUND, gap + _AROUND + 1)
    out.print(_gap_lines(inspection, shown, figures_of(inspection).threshold, marked=gap))


def _gap_lines(
    inspection: Inspection, gaps: range, threshold: float | None, *, marked: int | None = None
) -> Group:
    """Return the sentences on both sides of each gap in full, with a bar for the similarity between them.

    Args:
        inspection: the book.
        gaps: the numbers of the gaps, in order; numbers that the book does not have are left out.
        threshold: the threshold that all cuts share; None if there is none.
        marked: the gap with an arrow before it.
    """
    cuts = {boundary.gap: boundary for boundary in inspection.boundaries}
    words_before = _words_before_gaps(inspection)
    kept = {chunk.kept.gap: chunk.kept for chunk in inspection.chunks if chunk.kept}
    # Gap i lies between sentence i and sentence i + 1; the book's ends have no gap.
    first, last = max(gaps.start, 0), min(gaps.stop, len(inspection.similarities))
    lines = [Text(safe(inspection.sentence(first)))]
    for gap in range(first, last):
        mark = "→" if gap == marked else " "
        lines.append(_gap_line(gap, inspection.similarities[gap], threshold, mark, words_before[gap]))
        if gap in cuts:
            lines.append(cut_line(inspection, cuts[gap]))
            lines += cost_lines(cuts[gap])
        if gap in kept:
            lines.append(Text(f"      {describe_kept_together(kept[gap])}", "dim"))
        lines.append(Text(safe(inspection.sentence(gap + 1))))
    return Group(*lines)


def _gap_line(gap: int, similarity: float, threshold: float | None, mark: str, words_before: int) -> Text:
    """Return the line of a gap: its number, similarity and threshold, and a bar as long as the similarity."""
    bar = "█" * round(max(similarity, 0) * _BAR)
    facts = [f"gap {gap:,}", similarity_of(similarity)]
    if threshold is not None:
        facts.append(f"{'<' if similarity < threshold else '≥'} {threshold:.2f}")
    facts.append(f"after {count_of(words_before, 'word')}")
    return Text.assemble((f" {mark} {'  '.join(facts)}  ", "dim"), (bar, "magenta"))


def _words_before_gaps(inspection: Inspection) -> list[int]:
    """Return the number of words between the start of the chunk and each gap, (n_sentences,)."""
    return [words for chunk in inspection.chunks for words in words_so_far(chunk)]


def every_gap(inspection: Inspection) -> Group:
    """Return every gap, one line each, with the words since the last cut, and the reason if it is cut."""
    cuts = {boundary.gap: boundary for boundary in inspection.boundaries}
    sentences = [safe(text) for chunk in inspection.chunks for text in sentences_of(chunk)]
    width = max(_MIN_SENTENCE_WIDTH, (out.width - _EVERY_GAP_COLUMNS) // 2)  # of either sentence
    words_before = _words_before_gaps(inspection)
    lines = [Text(f"{'gap':>6} {'similarity':>10} {'words':>6} {'cut':<9}{'before':>{width}} | after", "dim")]
    for gap, similarity in enumerate(inspection.similarities):
        before, after, cut = sentences[gap], sentences[gap + 1], cuts.get(gap)
        if cell_len(before) > width:
            before = "…" + tail(before, width - 1)
        indent = " " * (width - cell_len(before))  # `>` counts characters; some take two columns
        line = Text(
            f"{gap:>6} {similarity:>z10.3f} {words_before[gap]:>6,} ", no_wrap=True, overflow="ellipsis"
        )
        line.append(f"{cut.reason if cut else '':<9}", REASON_STYLES[cut.reason] if cut else "")
        lines.append(line.append(f"{indent}{before} | {after}"))
    return Group(*lines)
