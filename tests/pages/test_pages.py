"""Pages say what is true: their commands, requests and files are tried, and what they print is compared."""

import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.pages.reader import Reader
from tests.pages.snippets import PAGES, ROOT, snippets
from tools import toolchains

GIVEN = Path(__file__).parent / "given"
"""By page: files that the page takes for granted, such as a reader's own logs."""
NOT_RUN = Counter(
    {
        ("README.md", "needs Ray"): 1,
        ("README.md", "needs a cluster"): 1,
        ("install.md", "needs Docker"): 3,
        ("install.md", "needs the package index"): 1,
        ("install.md", "needs a cluster"): 4,
        ("language-models.md", "needs a key"): 1,
        ("README.md", "needs the package index"): 1,
        ("ways-of-judging.md", "needs a model that gives log-probabilities"): 1,
    }
)
"""All snippets that nobody runs, by page and reason; thirteen at most."""


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, id=str(page.relative_to(ROOT))) for page in PAGES if "```" in page.read_text()],
)
def test_what_a_page_shows_is_so(
    page: Path,
    folder: Path,
    environment: dict[str, str],
    service: str,
    have: Callable[[Callable[[], Path]], Path],
) -> None:
    blocks = list(snippets(page))
    for program in (toolchains.curl, toolchains.jq):
        if any(f"{program.__name__} " in block.text for block in blocks if block.mark != "not run"):
            have(program)
    for given in (GIVEN / "every", GIVEN / page.stem):
        if given.is_dir():
            shutil.copytree(given, folder, dirs_exist_ok=True)
    with Reader(folder, environment, service) as reader:
        for block in blocks:
            try:
                reader.do(block)
            except (AssertionError, ValueError) as wrong:
                pytest.fail(f"{block.place}: {wrong}", pytrace=False)


def test_few_snippets_are_not_run() -> None:
    """Only what needs a cluster, a registry or somebody's account is not run."""
    found = [block for page in PAGES for block in snippets(page) if block.mark == "not run"]
    assert Counter((block.page.name, block.value) for block in found) == NOT_RUN
    assert NOT_RUN.total() <= 13


def test_plain_text_hides_no_command() -> None:
    commands = re.compile(
        r"^\s*(\$ |crs-eval |curl |make |docker |helm |kubectl |pip |python )", re.MULTILINE
    )
    plain = [block for page in PAGES for block in snippets(page) if block.language == "text"]
    assert plain
    assert not [block.place for block in plain if commands.search(block.text)]
