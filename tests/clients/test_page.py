"""The page as a client: its types fit the contract, and what is served is what its sources give."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from service.statistics.permutation import mean_interval
from tools import page, toolchains

Have = Callable[[Callable[[], Path]], Path]


@pytest.fixture(scope="module", autouse=True)
def toolchain(have: Have) -> None:
    have(toolchains.node)
    have(toolchains.page_modules)


def test_compiles_strictly() -> None:
    assert page.check_types()


def test_what_is_served_is_what_the_sources_give() -> None:
    assert page.stale_files() == []


def test_a_changed_file_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page.build_page(tmp_path)
    (tmp_path / "page.css").write_text("")
    monkeypatch.setattr(page, "FOLDER", tmp_path)
    assert page.stale_files() == ["page.css"]


@pytest.mark.parametrize("count", [2, 40])
def test_an_interval_is_that_of_the_command_line(count: int) -> None:
    """The page and its reports resample as the terminal does, with their own generator."""
    scores = [(index * 7 % 5) + index % 3 / 3 for index in range(count)]
    program = f"import('{toolchains.PAGE}/src/basics/statistics.ts').then(({{ interval }}) => console.log(JSON.stringify(interval({scores}))))"
    output = subprocess.run(
        [toolchains.node(), "-e", program], check=True, capture_output=True, text=True
    ).stdout
    expected = mean_interval(scores)
    assert expected is not None
    assert tuple(json.loads(output).values()) == pytest.approx((expected.low, expected.high), abs=0.1)


def test_nothing_tells_of_the_machine_that_built_it() -> None:
    for path in page.FOLDER.iterdir():
        text = path.read_text()
        assert str(toolchains.ROOT) not in text
        assert "sourceMappingURL" not in text


def test_a_report_runs_its_own_script_and_nothing_else() -> None:
    frame = (page.FOLDER / "report.html").read_text()
    policy = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', frame)
    assert len(policy) == 1
    assert re.fullmatch(
        r"default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+'", policy[0]
    )
    assert frame.count("{{results}}") == 1
    assert not re.search(r"\b(src|href)=", frame.partition("<style>")[0])
