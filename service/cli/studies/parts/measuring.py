"""Computed metrics of a study, in full precision: `/computational-metrics` answers with four digits."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ....api.wire.metrics import MetricsAnswer, MetricsRequest
from ....catalogue.catalogue import Catalogue
from ....catalogue.file import read_items
from ....errors import CrsEvalError
from ....metrics import compute
from ....metrics.matching import Matching
from ...exits import CommandError
from ...inputs import Json
from ...tabulating.summary import Measured
from ..steps import StudyRun, present
from .sessions import StudySession


async def metrics(asking: StudyRun, body: dict[str, Any]) -> Json:
    """The answer to a body of `/computational-metrics`, computed here, with the run's catalogue. Where the service alone
    has that catalogue, the service answers. Raises CommandError."""
    if asking.catalog is not None and asking.catalog_file is None:
        answer: Json = await asking.once("/computational-metrics", {**body, "catalog": asking.catalog})
        return answer
    asked = MetricsRequest.model_validate_json(json.dumps(present(body)))
    try:
        report = compute(
            asked.logs,
            verdicts=[[verdict.value() for verdict in each] for each in asked.verdicts or ()],
            reply_pairs=[pair.value() for pair in asked.reply_pairs or ()],
            metrics=asked.metrics,
            k=asked.k,
            turns=asked.turns,
            catalogue=catalogue_of(asking.catalog_file),
            matching=asked.matching or Matching.STRICT,
        )
    except CrsEvalError as wrong:
        raise CommandError(f"These conversations cannot be measured: {wrong.detail}") from None
    return MetricsAnswer.of(report).model_dump()


@dataclass(frozen=True)
class WantedFigure:
    """A figure of one conversation: of lists cut at `k`, in a scope, of all targets or of a part of them; or of so many turns."""

    metric: str
    scope: str | None = None
    k: int | None = None
    targets: str | None = None
    view: str = "lists"
    turn: int | None = None

    def of(self, rows: Sequence[Json]) -> float | None:
        """Return the figure among the rows of an answer; None where it is undefined."""
        group = {"targets": self.targets} if self.targets else {}
        wanted = {"metric": self.metric, "scope": self.scope, "k": self.k, "turn": self.turn, "group": group}
        found = (
            row["value"] for row in rows if row["view"] in (self.view, None) and wanted.items() <= row.items()
        )
        return next(found, None)


def recalls(cuts: Sequence[int], scope: str, name: str = "Recall@{}") -> dict[str, WantedFigure]:
    """Return recall at each cut, of the last list, of all (`session`), or the mean of turns (`turn`), by its name."""
    return {name.format(k): WantedFigure("recall", scope, k) for k in cuts}


SUCCESS_RATE_RATIO = {"success-rate ratio": WantedFigure("success_rate_ratio")}
"""Share of the turns with a list whose list opens with a target."""


async def measure(
    asking: StudyRun, sessions: Iterable[StudySession], wanted: Mapping[str, WantedFigure]
) -> list[Measured]:
    """The wanted figures of each session that are defined, under their names."""
    return [
        Measured(session.system, name, session.user, value)
        for session, values in await measure_each(asking, sessions, wanted)
        for name, value in values.items()
    ]


async def measure_each(
    asking: StudyRun, sessions: Iterable[StudySession], wanted: Mapping[str, WantedFigure], **more: Any
) -> list[tuple[StudySession, dict[str, float]]]:
    """Each session with its wanted figures that are defined. `more` are further fields of the request."""
    names = sorted({one.metric for one in wanted.values()})
    cuts = sorted({one.k for one in wanted.values() if one.k is not None}) or None
    turns = sorted({one.turn for one in wanted.values() if one.turn is not None}) or None
    found = []
    for session in sessions:
        body = {"logs": [session.log], "metrics": names, "k": cuts, "turns": turns, **more}
        rows = (await metrics(asking, body))["rows"]
        values = {name: value for name, one in wanted.items() if (value := one.of(rows)) is not None}
        found.append((session, values))
    return found


@cache
def catalogue_of(path: Path | None) -> Catalogue | None:
    """The catalogue in a file, if there is one."""
    return None if path is None else Catalogue.of(read_items(path), path.stem)
