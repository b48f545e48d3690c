"""The edit distance, by which faster ways to compute it are tested."""


def distance(one: str, other: str) -> int:
    """The edit distance as the textbook computes it."""
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, each in enumerate(other, 1):
            before, row[j] = row[j], min(before + (letter != each), row[j] + 1, row[j - 1] + 1)
    return row[-1]
