"""CONCEPT's figures by a plain reading of each published rule, which shares no code with the service."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

Session = Mapping[str, Any]
Figures = dict[tuple[str, str | None, int | None], float | None]

KS, TURNS = (1, 10, 25, 50), (3, 5, 10)


def read(path: Path) -> list[Session]:
    """The lines of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def by_hand(sessions: Sequence[Session], items: Sequence[Session]) -> Figures:
    """The published figures of one system, each rule as it stands."""
    known = [_facts(session, items) for session in sessions]
    figures: Figures = {}
    for k in KS:
        figures["recall", "lists", k] = _mean(
            sum(title in f["targets"] for title in f["lists"][-1][:k]) / len(f["targets"]) for f in known
        )
    for view in ("lists", "text"):
        for turns in TURNS:
            hits = [f[view + "_success"] for f in known]
            within = [hit for hit in hits if hit is not None and hit <= turns]
            figures["success_rate", view, turns] = len(within) / len(hits)
            figures["average_turns", view, turns] = _mean(within)
    accepted = [f for f in known if f["accepted"]]
    figures["acceptance_rate", "user", None] = len(accepted) / len(known)
    for cut in (10, None):  # the paper leaves the eleventh message out, whatever the cut
        figures["turns_to_acceptance", "user", cut] = _mean(f["place"] for f in accepted if f["place"] <= 10)
    figures["deceptive_acceptances", "user", None] = _mean(not f["honest"] for f in accepted)
    return figures


def _facts(session: Session, items: Sequence[Session]) -> dict[str, Any]:
    wanted = set(session["user"]["attributes"])
    targets = {item["title"] for item in items if wanted <= set(item["attributes"]["genre"])}
    names = [re.sub(r" \(\d{4}\)$", "", title).lower() for title in targets]
    replies = [message for message in session["messages"] if message["role"] == "assistant"]
    spoken = [index for index, message in enumerate(session["messages"]) if message["role"] == "user"]
    at = session["outcome"]["message"]
    lists = [reply["recommendations"] for reply in replies]
    texts = [reply["content"].lower() for reply in replies]
    return {
        "targets": targets,
        "lists": lists,
        "lists_success": _first(shown[:1] and shown[0] in targets for shown in lists),
        "text_success": _first(any(name in text for name in names) for text in texts),
        "accepted": session["outcome"]["accepted"],
        "place": spoken.index(at) + 1 if at is not None else None,
        "honest": at is not None
        and any(name in session["messages"][at]["content"].lower() for name in names),
    }


def _first(successes: Iterable[object]) -> int | None:
    return next((turn for turn, success in enumerate(successes, start=1) if success), None)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
