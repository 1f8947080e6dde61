"""Predictions for Music-CRS, the RecSys Challenge of 2026: a list of tracks for every turn of TalkPlayData's sessions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any, ClassVar

from ...catalogue.file import read_items
from ..exits import CommandError
from ..inputs import Json
from ..tabulating.formats import StudyTable
from ..tabulating.summary import Measured
from .report import published_table
from .sessions import file_name
from .steps import StudyRun
from .study import Component, StudyPlan, intervals_over

CUTS = (1, 10, 20)
LIST, REPLY = "predicted_track_ids", "predicted_response"


@dataclass(frozen=True, kw_only=True)
class MusicCRSPlan(StudyPlan):
    """Lists for the turns of sessions: each is compared with the track that was played. `predictions` are by system."""

    name: ClassVar = "music-crs"
    papers: ClassVar = ("music-crs",)
    sessions: Sequence[Json]
    predictions: Mapping[str, Sequence[Json]]

    def check(self) -> None:
        """Raise CommandError for turns without a prediction, lists that name a track twice, and files of another form."""
        try:
            for system in self.systems:
                for log in self.logs(system):
                    tracks = log["messages"][-1]["recommendations"]
                    if len(set(tracks)) < len(tracks):
                        raise CommandError(f"--predictions: {log['id']} names a track twice.")
        except (KeyError, TypeError) as wrong:
            raise CommandError(
                f"--sessions, --predictions: not in the challenge's format; a field is missing or has the wrong type: {wrong}"
            ) from None

    def components(self) -> list[Component]:
        """Return nothing: no model is asked."""
        return []

    def logs(self, system: str) -> Iterator[Json]:
        """Yield each turn that plays a track as a conversation up to it, with the predicted reply. Raises CommandError for a
        turn without one."""
        found = {
            (str(one.get("session_id")), one.get("turn_number")): one for one in self.predictions[system]
        }
        for session in self.sessions:
            name, earlier = str(session["session_id"]), []
            for said in session["conversations"]:
                if said["role"] != "music":
                    earlier.append({"role": said["role"], "content": said["content"]})
                    continue
                predicted = found.get((name, said["turn_number"]), {})
                if not isinstance(predicted.get(LIST), list):
                    raise CommandError(
                        f"--predictions: {system} has no {LIST} for turn {said['turn_number']} of session {name}."
                    )
                reply = {"content": predicted.get(REPLY) or "", "recommendations": predicted[LIST]}
                yield {
                    "id": f"{system}/{name}/{said['turn_number']}",
                    "domain": "music",
                    "system": system,
                    "ground_truth": [said["content"]],
                    "metadata": {"user": str(session.get("user_id") or name)},
                    "messages": [*earlier, {"role": "assistant", **reply}],
                }

    async def run(self, study: StudyRun) -> None:
        """Compare all lists with what was played; keep the conversations for other commands."""
        findings = study.findings
        numbers: list[Measured] = []
        rows: list[list[Any]] = []
        for system in self.systems:
            logs = list(self.logs(system))
            study.folder.write_lines(f"logs/{file_name(system)}.jsonl", logs)
            for log in logs:
                (track,), tracks = log["ground_truth"], log["messages"][-1]["recommendations"]
                place = tracks.index(track) if track in tracks else None
                for k in CUTS:
                    gain = 0.0 if place is None or place >= k else 1 / log2(place + 2)
                    numbers.append(Measured(system, f"nDCG@{k}", log["metadata"]["user"], gain))
            rows.append([system, len(logs), *_diversity(study, [log["messages"][-1] for log in logs])])
        title = "nDCG of the track that was played, over all turns (Music-CRS)"
        factors = [f"nDCG@{k}" for k in CUTS]
        findings.tabulate("ndcg", title, numbers, factors, systems=self.systems, scale=(0, 1))
        columns = ("system", "turns", "tracks", "share of the catalogue", "different words, share")
        findings.add(StudyTable("diversity", "Diversity of all lists and replies", columns, rows, digits=4))
        title = "Published: baselines of the challenge"
        findings.add(published_table("music-crs", "baselines", title, ["system"], digits=4))
        findings.methods += [
            f"{len(self.systems)} systems predicted tracks for all turns of {len(self.sessions)} sessions.",
            intervals_over("users"),
        ]


def _diversity(study: StudyRun, replies: Sequence[Json]) -> list[Any]:
    """The number of tracks in all lists, their share of the catalogue, and the share of different words."""
    tracks = {track for reply in replies for track in reply["recommendations"]}
    words = [word for reply in replies for word in reply["content"].split()]
    share = len(tracks) / len(read_items(study.catalog_file)) if study.catalog_file else None
    return [len(tracks), share, len(set(words)) / len(words) if words else None]
