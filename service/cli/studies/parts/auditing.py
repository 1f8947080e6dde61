"""The audit of simulated users that stands in every study's report."""

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
    humans = plan.humans
    answers = {}
    for name, played in groups.items():
        logs = [session.log for session in played]
        good, worse = ([log for log in logs if (log["system"] in plan.worse) is bad] for bad in (False, True))
        if good:
            body = {
                "logs": good,
                "worse": worse or None,
                "people": list(humans) or None,
                "catalog": asking.catalog,
            }
            answers[name] = await asking.once("/simulate/audit", body)
    if not answers:
        return
    if not humans:
        findings.leave_out(
            "simulated users beside people, and their acts", "no --humans: conversations of real users"
        )
    if not plan.worse:
        findings.leave_out(
            "simulated users with a good and a bad recommender", "no --worse names one with planted faults"
        )
    found = {name: {one["audit"]: one for one in answer["findings"]} for name, answer in answers.items()}
    rows = []
    for key, told in WORDS.items():
        known = [by_audit.get(key) for by_audit in found.values()]
        if any(finding and finding["value"] is not None for finding in known):
            one = next(filter(None, known))
            sides = ("value", "worse") if plan.worse else ("value",)
            values = [finding[side] if finding else None for finding in known for side in sides]
            rows.append([told, *values, one["people"], one["published"]])
    names = [
        column
        for name in answers
        for column in ((name, f"{name}, worse recommender") if plan.worse else (name,))
    ]
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
