"""Durations in words."""


def duration(seconds: float, *, exact: bool = False) -> str:
    """Return a duration as `9 s`, `24 min 49 s` or `2 h 05 min`; below ten seconds as `4.8 s` if `exact`."""
    if exact and seconds < 9.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
