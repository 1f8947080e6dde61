"""Labels that callers choose, held to a number that a time series database can bear."""

OTHER = "other"
CUSTOM = "custom"
"""The label of all factors that callers send with a request."""
LONGEST = 64
"""Characters of a label that are kept."""


class BoundedLabels:
    """Gives the first `most` distinct values a label of their own, and all later ones `other`.
    A value that is missing has the empty label, which Prometheus reads as none."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: dict[str, str] = {}

    def of(self, value: str | None) -> str:
        """The label under which a value is counted."""
        if not value:
            return ""
        label = self._known.get(value)
        if label is None:
            if len(self._known) >= self._most:
                return OTHER
            printable = "".join(mark if mark.isprintable() else " " for mark in value[:LONGEST])
            label = self._known[value] = printable.strip() or OTHER
        return label
