"""The audit of simulated users in the report of every study that plays some."""

from collections.abc import Mapping, Sequence

from ...tabulating.formats import StudyTable
from ..steps import StudyRun
from ..study import SessionPlan
from .sessions import StudySession

WORDS = {
    "leaks_title": "messages that name a wanted title first, share",
    "repeats_itself": "messages that say an earlier one again, share",
    "says_catalogue_words": "wishes said in the catalogue's words, share",
    "accepts_against_preferences": "acceptances that what was said does not bear out, share",
    "words_a_message": "words a message",
    "different_words": "different words of the first 1,000, share",
    "objects": "messages that reject or complain, share",
    "accepts": "sessions that end in an acceptance, share",
    "acts_unlike_people": "acts unlike people's, bits (0 the same, 1 nothing shared)",
    "human_likeness": "human-likeness (.5 as a person, 0 always told apart)",
    "notices_faults": "acceptances lost to planted faults, difference of shares",
}


async def audit(asking: StudyRun, plan: SessionPlan, groups: Mapping[str, Sequence[StudySession]]) -> None:
    """Figures of each group of sessions, with people's beside where there are logs of them."""
    findings = asking.findings
    if plan.logs:
        why = "the users of --logs are none of this run; POST /simulate/audit takes them"
        findings.leave_out("audit of simulated users", why)
        return
    answers = {}
    for name, played in groups.items():
        logs = [session.log for session in played]
        worse = [log for log in logs if log["system"] in plan.worse]
        if good := [log for log in logs if log["system"] not in plan.worse]:
            more = {"people": list(plan.humans) or None, "catalog": asking.catalog}
            answers[name] = await asking.once(
                "/simulate/audit", {"logs": good, "worse": worse or None, **more}
            )
    if not answers:
        return
    if not plan.humans:
        why = "no --humans: conversations of real users"
        findings.leave_out("simulated users beside people, and their acts", why)
    if not plan.worse:
        why = "no --worse names one with planted faults"
        findings.leave_out("simulated users with a good and a bad recommender", why)
    sides = {"value": "", **({"worse": ", worse recommender"} if plan.worse else {})}
    audited = [{one["audit"]: one for one in answer["findings"]} for answer in answers.values()]
    rows = []
    for key, label in WORDS.items():
        known = [found.get(key) or {} for found in audited]
        if any(one.get("value") is not None for one in known):
            one = next(filter(None, known))
            values = [found.get(side) for found in known for side in sides]
            rows.append([label, *values, one["people"], one["published"]])
    names = [f"{name}{side}" for name in answers for side in sides.values()]
    columns = ("figure", *names, "people", "published")
    findings.add(StudyTable("audit", "Audit of the simulated users", columns, rows, digits=3))
    first = next(iter(answers.values()))
    acts = [
        [
            act,
            *(answer["acts"].get(act) for answer in answers.values()),
            (first["acts_of_people"] or {}).get(act),
        ]
        for act in first["acts"]
    ]
    title = "Acts of the simulated users' messages, share of all acts"
    findings.add(StudyTable("audit-acts", title, ("act", *answers, "people"), acts, digits=3))
