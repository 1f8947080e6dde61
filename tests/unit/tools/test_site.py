"""Links of pages lead somewhere: in a checkout, and on the site."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.pages.snippets import PAGES
from tools.site.__main__ import stage

_LINK = re.compile(r"\]\((?!https?:|#|mailto:|/)([^)#\s]+)")


def _dead(pages: list[Path]) -> Iterator[str]:
    for page in pages:
        for link in _LINK.findall(page.read_text(encoding="utf-8")):
            if not (page.parent / link).exists():
                yield f"{page.name}: {link}"


def test_every_link_of_a_page_works_in_a_checkout() -> None:
    assert list(_dead([*PAGES])) == []


def test_every_link_between_pages_works_on_the_site(tmp_path: Path) -> None:
    stage(tmp_path / "pages")
    dead = list(_dead(sorted((tmp_path / "pages").rglob("*.md"))))
    assert [one for one in dead if ".md" in one.partition(": ")[2]] == []
