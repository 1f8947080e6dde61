"""Results of `crs-eval live`, as records of results."""

from ..inputs import Json, entries
from ..records import Record


def live_records(path: str) -> list[Record] | None:
    """Return the last judgement of each conversation in a file that `crs-eval live` wrote; None for any other file."""
    found: dict[str, Record] = {}
    for entry in entries([path], []):
        match entry.value:
            case {
                "kind": "conversation.judged",
                "event": {"conversation": str(name), "verdicts": list()} as event,
            }:
                found[name] = _record(name, event)
            case {"kind": "conversation.deleted", "event": {"conversation": name}}:
                found.pop(name, None)
            case {"kind": str(), "number": int()}:  # an alarm
                pass
            case _:
                return None
    return list(found.values())


def _record(name: str, event: Json) -> Record:
    # Live results hold no probabilities: all faults are given as certain, so that no comment names one.
    faults = [
        {"fault": one["fault"], "message": message, "probability": 1.0, "certain": True}
        for one in event.get("faults", ())  # none in results of earlier releases
        for message in one["messages"] or [None]
    ]
    verdicts = [
        {
            **one,
            "scale": {"min": one["scale_min"], "max": one["scale_max"]},
            "judge": dict(zip(("name", "model"), (*one["judge"].split(":", 1), None), strict=False)),
            "faults": [] if place else faults,
        }
        for place, one in enumerate(event["verdicts"])
    ]
    return Record(name, event["system"], "/score", "", {"verdicts": verdicts}, None)
