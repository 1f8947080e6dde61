"""Computed metrics of a study, in full precision: `/computational-metrics` answers with four digits."""

import json
from collections.abc import Sequence
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
from ..steps import StudyRun, present


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


async def recalls(asking: StudyRun, log: Json, cuts: Sequence[int], scope: str) -> dict[int, float]:
    """One conversation's recall in lists at each cut, of the last list or of all (`session`); those that are defined."""
    rows = (await metrics(asking, {"logs": [log], "metrics": ["recall"], "k": list(cuts)}))["rows"]
    return {
        row["k"]: row["value"]
        for row in rows
        if row["scope"] == scope and row["view"] == "lists" and row["k"] in cuts and row["value"] is not None
    }


@cache
def catalogue_of(path: Path | None) -> Catalogue | None:
    """The catalogue in a file, if there is one."""
    return None if path is None else Catalogue.of(read_items(path), path.stem)
