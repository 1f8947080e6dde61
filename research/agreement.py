"""`make -C research agreement`: how well any judge agrees with people, over HTTP, as a report.

    python -m research.agreement DATA [--judge NAME] [--url URL] [--out FOLDER]

DATA is a file of labelled logs (`research/labelled.py` says which shapes), or a folder that holds
`crsarena_eval*.jsonl` and `uss_*.jsonl`; catalogues beside them (`catalog.<half>.jsonl`) are given to
the judge. Without --url a private service is started with this environment's keys. Answers are kept
in the folder, one line a log: a run that was stopped goes on where it was. The report is
`report.md`, `report.json` and plots; --page writes the Markdown to a page as well, and --check
fails where the page differs. Where the data are not at hand the tool says so and leaves all as it is."""

import argparse
import contextlib
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx2
from rich.console import Console

from research.agreement_page import Report, Study, page
from research.agreement_plots import plots
from research.judge_data import catalogues_only
from research.judge_labelled import Answer, Judging, Kept, judge_all
from research.labelled import Labelled, core_ratings, debate_ratings, ratings, read_labelled
from service.settings import PREFIX
from tools.service_process import ROOT, running_service

FAMILIES: dict[str, list[str]] = json.loads(
    (ROOT / "benchmarks" / "agreement" / "families.json").read_text(encoding="utf-8")
)
CORRELATIONS = ["pearson", "spearman", "kendall_tau_b"]
PATTERNS = ("crsarena_eval*.jsonl", "uss_*.jsonl")


def main() -> int:
    """Judge, compare, report; 1 where logs got no answer or a checked page differs."""
    options = _options()
    console = Console()
    files = _files(options.data)
    if not files:
        console.print(
            f"No labelled conversations at {options.data}: nothing was judged, no page was written."
        )
        return 0
    out = options.out or ROOT / "build" / "agreement" / re.sub(r"[^\w.-]+", "-", options.judge)
    out.mkdir(parents=True, exist_ok=True)
    folder = options.data if options.data.is_dir() else options.data.parent
    with (
        _service(options.url, folder, options.judge) as url,
        httpx2.Client(base_url=url, timeout=600) as client,
    ):
        studies, faults = _studies(files, client, options, console, out)
    report = Report(options.judge, tuple(studies))
    text = page(report)
    (out / "report.md").write_text(text, encoding="utf-8")
    (out / "report.json").write_text(json.dumps(report.plain(), indent=1) + "\n", encoding="utf-8")
    for name, drawing in plots(report).items():
        (out / name).write_text(drawing, encoding="utf-8")
    console.print(f"The report is in {out}.")
    for fault in faults[:20]:
        console.print(fault, markup=False)
    return 1 if faults or not write_page(options, text, report, console) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--judge", default="builtin", help="`builtin` or name:model, as the service allows")
    parser.add_argument("--url", help="a service that runs already; none of its catalogues are named")
    parser.add_argument("--out", type=Path, help="folder of the report; default: a folder below build/")
    parser.add_argument(
        "--no-debate", action="store_true", help="score alone: a third of the calls to an LLM"
    )
    parser.add_argument("--fresh", action="store_true", help="ask again, whatever answers are on file")
    parser.add_argument("--bootstrap", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=4, help="logs judged at once")
    parser.add_argument("--page", type=Path, help="write the Markdown here too, its plots beside it")
    parser.add_argument("--check", action="store_true", help="write no page; fail where it differs")
    return parser.parse_args()


def _files(data: Path) -> list[Path]:
    if data.is_file():
        return [data]
    return sorted(path for pattern in PATTERNS for path in data.glob(pattern)) if data.is_dir() else []


@contextlib.contextmanager
def _service(url: str | None, folder: Path, judge: str) -> Iterator[str]:
    if url:
        yield url
        return
    with catalogues_only(folder) as catalogues:
        # Upstreams, their keys and the cache are the caller's own settings.
        settings = {n.removeprefix(PREFIX): v for n, v in os.environ.items() if n.startswith(PREFIX)}
        settings |= {"JUDGE": judge, "REQUEST_TIMEOUT": "600"}
        settings |= {"CATALOGS": str(catalogues)} if any(catalogues.iterdir()) else {}
        with running_service(settings) as base:
            yield base


def _studies(
    files: Sequence[Path], client: httpx2.Client, options: argparse.Namespace, console: Console, out: Path
) -> tuple[list[Study], list[str]]:
    """One study a file, and with the embedded judge a second one without catalogues."""
    paths = client.get("/openapi.json").json()["paths"]
    judging = Judging(
        client, options.judge, "/debate" in paths and not options.no_debate, max(1, options.workers)
    )
    studies, faults = [], []
    for path in files:
        labelled = read_labelled(path)
        at_hand = {} if options.url else {one.name: _catalogue(one, path.parent) for one in labelled}
        variants = [dict.fromkeys((one.name for one in labelled), None)]
        if any(at_hand.values()):
            variants = [at_hand, *(variants if options.judge == "builtin" else [])]
        for catalogues in variants:
            given = any(catalogues.values())
            name = path.name.split(".")[0] + ("" if given else "-no-catalogue")
            kept = Kept(out / f"answers-{name}.jsonl")
            if options.fresh:
                kept.forget()
            faults += judge_all(labelled, catalogues, kept, judging, console=console, title=name)
            studies.append(study(path.name, labelled, kept.answers, client, options.bootstrap, given=given))
    return studies, faults


def _catalogue(one: Labelled, folder: Path) -> str | None:
    name = f"catalog.{'redial' if one.half in ('all', 'redial') else one.half}"
    return name if (folder / f"{name}.jsonl").exists() else None


def study(
    name: str,
    labelled: Sequence[Labelled],
    answers: Mapping[str, Answer],
    client: httpx2.Client,
    bootstrap: int,
    *,
    given: bool,
) -> Study:
    """The comparisons of one file: each half, each family, all, and the judge with itself."""

    def rows(chosen: Sequence[dict[str, Any]], statistics: Sequence[str]) -> list[dict[str, Any]]:
        if not chosen:
            return []
        body = {"ratings": chosen, "statistics": statistics, "bootstrap": bootstrap}
        response = client.post("/agreement", json=body)
        if response.status_code != 200:
            raise SystemExit(f"/agreement answered {response.status_code}: {response.text[:500]}")
        found: list[dict[str, Any]] = response.json()["rows"]
        return found

    halves = sorted({one.half for one in labelled})
    groups = {half: [one for one in labelled if one.half == half] for half in halves}
    everything = [*CORRELATIONS, "krippendorff_alpha", "length_correlation"]
    by_half = {half: rows(ratings(some, answers), everything) for half, some in groups.items()}
    by_family = {
        family: rows(ratings([one for one in labelled if one.system in systems], answers), ["pearson"])
        for family, systems in FAMILIES.items()
    }
    core, debate = core_ratings(labelled, answers), debate_ratings(labelled, answers)
    overall = ["spearman", "kendall_tau_b", "preference_kappa", "mean_score", "length_correlation"]
    rounds = ["debate_all_agree", "debate_major_agree", "debate_spread", "mean_score"]
    return Study(
        name=name,
        given=given,
        logs=len(labelled),
        answered=sum(one.name in answers for one in labelled),
        turns=sum(len(places) for one in labelled for places in one.turns.values()),
        halves=by_half,
        families={family: found for family, found in by_family.items() if found},
        everything=rows(ratings(labelled, answers), overall),
        judge=rows(core, ["coupling", "mean_coupling", "length_correlation"]),
        people=rows(
            [r for r in ratings(labelled, answers) if r["kind"] == "human" and r["turn"] is None],
            ["mean_coupling"],
        ),
        debate=rows(debate, rounds),
    )


def write_page(options: argparse.Namespace, text: str, report: Report, console: Console) -> bool:
    """Write or check the page and its plots; whether all is as it should be."""
    if options.page is None:
        return True
    beside = options.page.parent / options.page.stem
    files = {options.page: text, **{beside / name: drawing for name, drawing in plots(report).items()}}
    files[options.page] = re.sub(r"\]\((\w[\w-]*\.svg)\)", rf"]({beside.name}/\1)", text)
    if options.check:
        stale = [path for path, content in files.items() if not path.exists() or path.read_text() != content]
        for path in stale:
            console.print(f"stale: {path}; run `make -C research agreement` and commit the result")
        return not stale
    beside.mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        path.write_text(content, encoding="utf-8")
    console.print(f"{options.page} is written.")
    return True


if __name__ == "__main__":
    sys.exit(main())
