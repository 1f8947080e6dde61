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
            group_by=asked.group_by or (),
            spread_over=asked.spread_over or (),
            catalogue=catalogue_of(asking.catalog_file),
            matching=asked.matching or Matching.STRICT,
        )
    except CrsEvalError as wrong:
        raise CommandError(f"These conversations cannot be measured: {wrong.detail}") from None
    return MetricsAnswer.of(report).model_dump()


@dataclass(frozen=True)
class WantedFigure:
    """A figure of one conversation: of lists cut at `k`, in a scope, of all targets or of a part of them."""

    metric: str
    scope: str
    k: int
    targets: str | None = None

    def of(self, rows: Sequence[Json]) -> float | None:
        """Return the figure among the rows of an answer; None where it is undefined."""
        group = {"targets": self.targets} if self.targets else {}
        key = (self.metric, self.scope, self.k, None, group)
        for row in rows:
            found = (row["metric"], row["scope"], row["k"], row["turn"], row["group"])
            if found == key and row["view"] in ("lists", None):
                value: float | None = row["value"]
                return value
        return None


def recalls(cuts: Sequence[int], scope: str, name: str = "Recall@{}") -> dict[str, WantedFigure]:
    """Return recall at each cut, of the last list, of all (`session`), or the mean of turns (`turn`), by its name."""
    return {name.format(k): WantedFigure("recall", scope, k) for k in cuts}


async def measure(
    asking: StudyRun, sessions: Iterable[StudySession], wanted: Mapping[str, WantedFigure]
) -> list[Measured]:
    """The wanted figures of each session that are defined, under their names."""
    names = sorted({one.metric for one in wanted.values()})
    cuts = sorted({one.k for one in wanted.values()})
    found = []
    for session in sessions:
        rows = (await metrics(asking, {"logs": [session.log], "metrics": names, "k": cuts}))["rows"]
        values = {name: one.of(rows) for name, one in wanted.items()}
        found += [
            Measured(session.system, name, session.user, value)
            for name, value in values.items()
            if value is not None
        ]
    return found


@cache
def catalogue_of(path: Path | None) -> Catalogue | None:
    """The catalogue in a file, if there is one."""
    return None if path is None else Catalogue.of(read_items(path), path.stem)
