"""The part of a page that is written from a registry, between two marks."""

from collections.abc import Sequence


def with_part(page: str, name: str, lines: Sequence[str]) -> str:
    """Return the page with these lines between its marks of that name. Raises ValueError for a page without them."""
    begin, end = f"<!-- {name}: written by `make generate` -->", f"<!-- end of {name} -->"
    before, opened, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not opened or not closed:
        raise ValueError(f"the page has no marks {begin} and {end}")
    return "\n".join([before + begin, "", *lines, "", end + after])
