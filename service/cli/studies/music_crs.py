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
from .steps import StudyRun
from .study import StudyPlan, check_names, file_name, intervals_over

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
        check_names("--predictions", self.systems)
        try:
            for system in self.systems:
                logs = {log["id"]: log["messages"][-1] for log in self.logs(system)}
                if not logs:
                    raise CommandError("--sessions: no turn plays a track.")
                for name, reply in logs.items():
                    tracks = reply["recommendations"]
                    if len(set(tracks)) < len(tracks):
                        raise CommandError(f"--predictions: {name} names a track twice.")
        except (KeyError, TypeError) as wrong:
            raise CommandError(
                f"--sessions, --predictions: not in the challenge's format; a field is missing or has the wrong type: {wrong}"
            ) from None

    def logs(self, system: str) -> Iterator[Json]:
        """Yield each turn that plays a track, up to its predicted reply. Raises CommandError for a turn with none or two."""
        found = _by_key(f"--predictions: {system}", self.predictions[system], "session_id", "turn_number")
        for (name,), session in _by_key("--sessions", self.sessions, "session_id").items():
            earlier = []
            for said in session["conversations"]:
                if said["role"] != "music":
                    earlier.append({"role": said["role"], "content": said["content"]})
                    continue
                predicted = found.get((name, str(said["turn_number"])), {})
                tracks, text = predicted.get(LIST), predicted.get(REPLY) or ""
                if not _are_texts(tracks, [said["content"], text]):
                    raise CommandError(
                        f"--predictions: {system} has no {LIST}, a list of texts, with a text as {REPLY}, for turn "
                        f"{said['turn_number']} of session {name}."
                    )
                reply = {"content": text, "recommendations": tracks}
                yield {
                    "id": f"{system}/{name}/{said['turn_number']}",
                    "domain": "music",
                    "system": system,
                    "ground_truth": [said["content"]],
                    "metadata": {"user": str(session.get("user_id") or name)},
                    "messages": [*earlier, {"role": "assistant", **reply}],
                }

    async def run(self, study: StudyRun) -> None:
        findings = study.findings
        numbers: list[Measured] = []
        rows: list[list[Any]] = []
        for system in self.systems:
            logs = list(self.logs(system))
            study.folder.write_lines(f"logs/{file_name(system)}.jsonl", logs)
            if more := len(self.predictions[system]) - len(logs):
                findings.leave_out(
                    f"{more} predictions of {system}", "--sessions plays no track in their turns"
                )
            for log in logs:
                (track,), tracks = log["ground_truth"], log["messages"][-1]["recommendations"]
                place = tracks.index(track) if track in tracks else None
                for k in CUTS:
                    gain = 0.0 if place is None or place >= k else 1 / log2(place + 2)
                    numbers.append(Measured(system, f"nDCG@{k}", log["metadata"]["user"], gain))
            rows.append([system, len(logs), *_diversity(study, [log["messages"][-1] for log in logs])])
        title = "nDCG of the track that was played, over all turns (Music-CRS)"
        factors = [f"nDCG@{k}" for k in CUTS]
        findings.tabulate("ndcg", title, numbers, factors, systems=self.systems, shares=True)
        columns = ("system", "turns", "tracks", "share of the catalogue", "different words, share")
        findings.add(StudyTable("diversity", "Diversity of all lists and replies", columns, rows, digits=4))
        title = "Published: baselines of the challenge"
        findings.add(published_table("music-crs", "baselines", title, ["system"], digits=4))
        findings.methods += [
            f"{len(self.systems)} systems predicted tracks for all turns of {len(self.sessions)} sessions.",
            intervals_over("users"),
        ]


def _by_key(place: str, given: Sequence[Json], *fields: str) -> dict[tuple[str, ...], Json]:
    """The objects by the texts of some fields. Raises CommandError for two with the same."""
    found = {tuple(str(one[field]) for field in fields): one for one in given}
    if len(found) < len(given):
        raise CommandError(f"{place}: two entries have the same {' and '.join(fields)}; give each once.")
    return found


def _are_texts(*lists: object) -> bool:
    return all(isinstance(one, list) and all(isinstance(text, str) for text in one) for one in lists)


def _diversity(study: StudyRun, replies: Sequence[Json]) -> list[Any]:
    tracks = {track for reply in replies for track in reply["recommendations"]}
    words = [word for reply in replies for word in reply["content"].split()]
    share = len(tracks) / len(read_items(study.options.catalog_file)) if study.options.catalog_file else None
    return [len(tracks), share, len(set(words)) / len(words) if words else None]
