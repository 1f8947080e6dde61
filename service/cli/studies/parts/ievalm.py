"""iEvaLM from the users to the tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....catalogue.catalogue import Catalogue
from ....domain.conversation import UNKNOWN_DOMAIN, Item
from ....simulators.guard import names
from ....simulators.phrases import joined, style_of
from ...inputs import Json, Source
from ...tabulating.summary import Measured, summarise
from ..figures import chart
from ..papers import published, source
from ..sheets import Sheet, sheet_of
from ..steps import Asking
from ..study import Findings
from . import auditing, judgements, replying, sessions
from .measuring import catalogue_of, recalls
from .replying import Context, Replied
from .sessions import Session, file_name, recommenders

if TYPE_CHECKING:
    from ..kinds.ievalm import Asked

CUTS = (1, 10, 25, 50)
PERSUASIVENESS = "ievalm-persuasiveness"


@dataclass(frozen=True)
class Question:
    """A user who has answered so many questions about the wanted item, and waits for a list."""

    user: Source
    answered: int
    context: Context


async def run(asking: Asking, asked: "Asked", systems: Sequence[str], judges: Sequence[str]) -> Findings:
    """All steps, and what they come to."""
    findings = Findings()
    asking.folder.write_lines("users.jsonl", [user.log for user in asked.users])
    played, records = await sessions.play(asking, asked.users, systems, 1, asked.simulator)
    findings.failures += sum(record.answer is None for record in records)
    findings.sheets.append(sessions.told(records))
    await _free(asking, findings, played)
    await _attributes(asking, findings, asked, systems)
    await _persuasiveness(asking, findings, asked, played, judges)
    await auditing.audit(asking, findings, {"simulated": [one.log for one in played]}, asked.humans)
    findings.sheets += [_printed("recall", "metric"), _printed("persuasiveness", "system")]
    _tell(findings, asked, systems, judges)
    return findings


async def _free(asking: Asking, findings: Findings, played: Sequence[Session]) -> None:
    numbers = []
    for session in played:
        if session.answered:
            for scope, told in (("last", "last list"), ("session", "all lists")):
                found = await recalls(asking, session.log, CUTS, scope)
                numbers += [
                    Measured(session.system, f"Recall@{k}, {told}", session.user, value)
                    for k, value in found.items()
                ]
    factors = [f"Recall@{k}, {told}" for told in ("last list", "all lists") for k in CUTS]
    summary = summarise("Free chat: recall (iEvaLM)", numbers, factors=factors)
    findings.sheets.append(sheet_of("recall-free-chat", summary))
    findings.figures["recall-free-chat"] = chart(summary, 0, 1)


async def _attributes(asking: Asking, findings: Findings, asked: "Asked", systems: Sequence[str]) -> None:
    """Recall of the list that follows each answer about an attribute."""
    planned = [question for user in asked.users for question in _questions(asking, asked, user)]
    if not planned:
        why = (
            "--questions 0" if not asked.questions else "no wanted item has attributes: --catalog gives them"
        )
        findings.leave_out("attribute questions", why)
        return
    replies = await replying.next_replies(asking, [one.context for one in planned], systems, "questions")
    findings.failures += sum(one.failure == "no answer" for one in replies.values())
    numbers = []
    without = 0
    for system in systems:
        for one in planned:
            reply = replies[system, one.context.id]
            if reply.failure is not None or reply.recommendations is None:
                without += 1
                continue
            for k, value in (await recalls(asking, _log(one, reply), CUTS, "last")).items():
                name = f"Recall@{k}, {one.answered} answered"
                numbers.append(Measured(system, name, one.user.conversation, value))
    most = max(one.answered for one in planned)
    factors = [f"Recall@{k}, {answered} answered" for k in CUTS for answered in range(1, most + 1)]
    note = f"{without} replies have no list and are in no figure." if without else ""
    summary = summarise("Attribute questions: recall of the next list (iEvaLM)", numbers, systems, factors)
    findings.sheets.append(sheet_of("recall-attributes", summary, note))


def _questions(asking: Asking, asked: "Asked", user: Source) -> list[Question]:
    """The user's answers so far, one dimension of the wanted item more each time."""
    style = style_of(str(user.log.get("domain") or UNKNOWN_DOMAIN))
    told = list(_told(asking, user))[: asked.questions]
    messages: list[Json] = [
        {"role": "user", "content": f"Could you recommend a {style.noun} to me?"},
    ]
    found = []
    for number, (dimension, values) in enumerate(told, 1):
        messages += [
            {"role": "assistant", "content": f"What {dimension} should the {style.noun} have?"},
            {"role": "user", "content": f"{joined(values)}, please."},
        ]
        known = {name: user.log[name] for name in ("domain", "items") if user.log.get(name)}
        context = Context(f"{user.conversation}/{number}", user.conversation, tuple(messages), known)
        found.append(Question(user, number, context))
    return found


def _told(asking: Asking, user: Source) -> list[tuple[str, list[str]]]:
    """The wanted items' attributes by dimension, without any that gives a title away."""
    catalogue = catalogue_of(asking.catalog_file) if asking.catalog_file else None
    own = Catalogue.of([Item(**_item(one)) for one in user.log.get("items") or ()])
    wanted = [
        item
        for label in user.log["ground_truth"]
        if (item := own.match(label) or (catalogue.match(label) if catalogue else None)) is not None
    ]
    found: dict[str, list[str]] = {}
    for item in wanted:
        for dimension, values in item.attributes.items():
            kept = [value for value in values if not any(names(one.title, value) for one in wanted)]
            found.setdefault(dimension, []).extend(value for value in kept if value not in found[dimension])
    return [(dimension, values) for dimension, values in found.items() if values]


def _item(one: Json) -> Json:
    attributes = {name: tuple(values) for name, values in (one.get("attributes") or {}).items()}
    return {"title": one["title"], "id": one.get("id"), "attributes": attributes}


def _log(one: Question, reply: Replied) -> Json:
    said = {"role": "assistant", "content": reply.content, "recommendations": reply.recommendations}
    kept = {
        name: one.user.log[name] for name in ("domain", "items", "ground_truth") if one.user.log.get(name)
    }
    return {**kept, "messages": [*one.context.messages, said]}


async def _persuasiveness(
    asking: Asking,
    findings: Findings,
    asked: "Asked",
    played: Sequence[Session],
    judges: Sequence[str],
) -> None:
    """Asked of the model that played the user, and of the judges."""
    for name in dict.fromkeys([*filter(None, [asked.user_model]), *judges]):
        judged = await judgements.judge(asking, name, played, [PERSUASIVENESS], {})
        findings.failures += judged.failures
        who = "asked of the simulated user" if name == asked.user_model else f"judge {name}"
        summary = judged.summary(f"Persuasiveness, 0-2, {who} (iEvaLM)", [PERSUASIVENESS])
        findings.sheets.append(sheet_of(f"persuasiveness-{file_name(name)}", summary))
    if asked.user_model is None:
        findings.leave_out("persuasiveness asked of the simulated user", "no --user-model plays the users")


def _printed(name: str, first: str) -> Sheet:
    printed = published("ievalm")[name]
    columns = (first, *printed["columns"])
    rows = [
        [label, *values, *[None] * (len(columns) - 1 - len(values))]
        for label, values in printed["rows"].items()
    ]
    title = f"Published: {name} by way of evaluation"
    return Sheet(f"published-{name}", title, columns, rows, "", source("ievalm", printed["place"]), digits=3)


def _tell(findings: Findings, asked: "Asked", systems: Sequence[str], judges: Sequence[str]) -> None:
    player = (
        f"target users played by {asked.user_model}"
        if asked.user_model
        else "rule-based users (a stand-in for target users that a model plays)"
    )
    findings.methods += [
        f"{recommenders(systems)} talked freely with {len(asked.users)} {player} for at most "
        f"{asked.rounds} rounds, seed {asked.seed}.",
        *(
            [
                f"Besides, each user answered up to {asked.questions} questions about attributes of the wanted item, put "
                "in the recommender's name. The list that followed each answer was compared with what was wanted."
            ]
            if asked.questions
            else []
        ),
        f"Persuasiveness was asked on 0-2 of {', '.join(dict.fromkeys([*filter(None, [asked.user_model]), *judges]))}.",
        "Intervals are 95 % percentile bootstraps over users; differences of systems were tested by permutation over users "
        "and corrected by Holm's method.",
    ]
