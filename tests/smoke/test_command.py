"""The installed command: its scores, its report, its gate; and the files that came with it."""

import filecmp
import json
from pathlib import Path

from service import __version__
from tests.smoke.conftest import Crs
from tools.service_process import ROOT

LOGS = ROOT / "examples" / "logs"


def files(folder: Path) -> set[str]:
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }


def test_the_install_holds_every_file_of_the_service_and_no_other(crs_eval: Crs) -> None:
    said = crs_eval("-P", "-c", "import crs_eval; print(crs_eval.__path__[0])", program="python")
    installed, ours = Path(said.stdout.strip()), ROOT / "service"
    assert {"py.typed", "web/page/index.html", "prompts/judge/rubric.txt"} <= files(ours)
    assert files(installed) == files(ours), said.stderr
    assert filecmp.cmpfiles(ours, installed, files(ours), shallow=False)[1:] == ([], [])


# Pytest, SQLAlchemy and the protocol of agents come with extras; an install need not have them.
IMPORT_ALL = """
import importlib, pkgutil, crs_eval
names = [module.name for module in pkgutil.walk_packages(crs_eval.__path__, "crs_eval.")]
for name in names:
    if name in ("crs_eval.__main__", "crs_eval.cli.pytest_plugin"):
        continue
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name.partition(".")[0] not in ("sqlalchemy", "mcp"):
            raise
print(len(names))
"""


def test_every_module_finds_what_it_imports(crs_eval: Crs) -> None:
    ran = crs_eval("-P", "-c", IMPORT_ALL, program="python")
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) > 200


def test_it_says_its_version(crs_eval: Crs) -> None:
    for program, module in (("crs-eval", ()), ("python", ("-P", "-m", "crs_eval.cli.program"))):
        assert crs_eval(*module, "--version", program=program).stdout == f"crs-eval {__version__}\n"


def test_it_scores_and_reports(crs_eval: Crs, tmp_path: Path) -> None:
    done = crs_eval("score", LOGS, "-o", "results.jsonl", "-o", "report.html")
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "results.jsonl").read_text().splitlines()
    assert len(lines) == len(list(LOGS.glob("*.json")))
    assert all(json.loads(line)["answer"]["verdicts"] for line in lines)
    assert "</html>" in (tmp_path / "report.html").read_text()


def test_it_scores_at_a_service(crs_eval: Crs, url: str) -> None:
    done = crs_eval("score", LOGS / "good.json", "--url", url)
    assert done.returncode == 0, done.stderr
    assert "coherence" in done.stdout


def test_it_gates(crs_eval: Crs, tmp_path: Path) -> None:
    (tmp_path / "crs-eval.toml").write_text(
        '[gate]\nminimum_n = 2\n[[gate.rules]]\nfactor = "coherence"\nmean = 0\n'
    )
    done = crs_eval("gate", LOGS, "--report", "gate.html")
    assert done.returncode == 0, done.stderr
    assert "</html>" in (tmp_path / "gate.html").read_text()
