"""Parameters that judges and simulated users were asked with, as the answers tell what was sent."""

from collections.abc import Iterable, Sequence

from ...llm.asking import WARMER
from ..inputs import Json
from ..records import Record
from .options import BUILTIN


def sampling(records: Iterable[Record]) -> list[str]:
    """Sentences of a methods paragraph: each model's temperature, and who takes no seed."""
    answered = [record for record in records if record.answer]
    judged: dict[str, list[Json]] = {}
    for record in answered:
        for verdict in (one for whole in record.verdicts for one in whole.get("panel") or [whole]):
            if verdict["judge"]["name"] != BUILTIN and verdict["status"] == "scored":
                judged.setdefault(_name(verdict["judge"]), []).append(verdict)
    found = [drawn(name, verdicts) for name, verdicts in judged.items()]
    seedless = {
        _name(record.answer["judge"])
        for record in answered
        if record.answer and _warned(record, "seed_not_taken")
    }
    return [
        *found,
        *(f"{name} takes no seed: users of it differ by draw alone." for name in sorted(seedless)),
    ]


def drawn(name: str, verdicts: Sequence[Json]) -> str:
    """The sentence on a judge's temperature."""
    bare = [any(flag["code"] == "temperature_not_taken" for flag in verdict["flags"]) for verdict in verdicts]
    asked = sorted({1 if verdict["samples"]["requested"] > 1 else 0 for verdict in verdicts})
    at = f"temperature {' or '.join(map(str, asked))}"
    raised = sum(
        any(flag["code"] == "temperature_raised" for flag in verdict["flags"]) for verdict in verdicts
    )
    again = (
        f" {raised} of {len(verdicts)} answers were cut off and asked for again at temperature {WARMER:g} with another seed."
        if raised
        else ""
    )
    if all(bare):
        return f"{name} takes no temperature and was asked at its server's own.{again}"
    if any(bare):
        return f"{name} was asked at {at}, for {sum(bare)} of {len(verdicts)} verdicts at its server's own temperature.{again}"
    return f"{name} was asked at {at}.{again}"


def _name(judge: Json) -> str:
    return f"{judge['name']}:{judge['model']}"


def _warned(record: Record, code: str) -> bool:
    return any(warning["code"] == code for warning in record.warnings) and bool(
        (record.answer or {}).get("judge")
    )
