"""Any judge's answers on labelled logs, over HTTP, kept in a file so that a run can go on where it
was left: one line a log, scores alone, no text."""

import json
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from research.labelled import Labelled

Answer = dict[str, Any]
PATIENCE = 6
BUSY = (429, 502, 503, 504)


@dataclass(frozen=True)
class Judging:
    """A judge to ask, and its route: `debate` posts to `/debate`, which scores first."""

    client: httpx2.Client
    judge: str
    debate: bool
    workers: int

    def ask(self, one: Labelled, catalogue: str | None) -> Answer:
        """One log's answer. Raises RuntimeError where the service gives none after several tries."""
        body = {"log": one.log, "judge": self.judge, **({"catalog": catalogue} if catalogue else {})}
        said = ""
        for attempt in range(PATIENCE):
            try:
                response = self.client.post("/debate" if self.debate else "/score", json=body)
            except httpx2.TransportError as error:
                said = str(error)
            else:
                if response.status_code == 200:
                    return digest(response.json())
                said = f"{response.status_code} {response.text[:300]}"
                if response.status_code not in BUSY:
                    break
            time.sleep(min(30.0, 0.5 * 2**attempt))
        raise RuntimeError(f"{one.name}: {said}")


def digest(answer: Mapping[str, Any]) -> Answer:
    """The numbers of an answer of `/score` or `/debate`; the mean is over core's scored factors."""
    scores = {v["factor"]: v["score"] for v in answer["verdicts"]}
    known = [score for score in scores.values() if score is not None]
    return {
        "scores": {
            **scores,
            "mean": sum(known) / len(known) if known else None,
            "debate": answer.get("overall"),
        },
        "turns": {
            v["factor"]: {str(turn["message"]): turn["score"] for turn in v["turns"]}
            for v in answer["verdicts"]
            if v["turns"]
        },
        "rounds": [
            {s["role"]: s["score"] for s in one["statements"] if s["score"] is not None}
            for one in answer.get("rounds", [])
        ],
        "evaluator": answer["comparison_key"],
    }


class Kept:
    """Answers on file. A file that another evaluator filled is begun again: its first log is asked
    again, and another comparison key tells."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.answers: dict[str, Answer] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                self.answers[row["log"]] = row["answer"]

    def add(self, name: str, answer: Answer) -> None:
        """Keep one more, on disk at once."""
        self.answers[name] = answer
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"log": name, "answer": answer}) + "\n")

    def forget(self) -> None:
        """Begin again."""
        self.answers.clear()
        self._path.unlink(missing_ok=True)


def judge_all(
    labelled: Sequence[Labelled],
    catalogues: Mapping[str, str | None],
    kept: Kept,
    judging: Judging,
    *,
    console: Console,
    title: str,
) -> list[str]:
    """Ask about every log that has no answer yet; returns what went wrong, a line a log."""
    _check_evaluator(labelled, catalogues, kept, judging, console)
    todo = [one for one in labelled if one.name not in kept.answers]
    faults: list[str] = []
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress, ThreadPoolExecutor(judging.workers) as pool:
        task = progress.add_task(title, total=len(labelled), completed=len(labelled) - len(todo))
        asked = {pool.submit(judging.ask, one, catalogues[one.name]): one for one in todo}
        for future in as_completed(asked):
            try:
                kept.add(asked[future].name, future.result())
            except RuntimeError as error:
                faults.append(str(error))
            progress.advance(task)
    return faults


def _check_evaluator(
    labelled: Sequence[Labelled],
    catalogues: Mapping[str, str | None],
    kept: Kept,
    judging: Judging,
    console: Console,
) -> None:
    first = next((one for one in labelled if one.name in kept.answers), None)
    if first is None:
        return
    again = judging.ask(first, catalogues[first.name])
    if again["evaluator"] != kept.answers[first.name]["evaluator"]:
        console.print("The evaluator has changed since the answers on file: asking anew.")
        kept.forget()
