"""iEvaLM from the users to the tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from ...catalogue.catalogue import Catalogue
from ...domain.conversation import UNKNOWN_DOMAIN
from ...simulators.guard import names
from ...simulators.phrases import joined, style_of
from ..inputs import Json, Source
from ..tabulating.formats import table_of
from . import instruments, judgements, sessions
from .contexts import OpenTurn, next_replies
from .judgements import PERSUASIVENESS
from .report import published_table
from .sessions import SUCCESS_RATE_RATIO, StudySession, catalogue_of, measure, parsed, recalls
from .steps import StudyRun
from .study import Component, UsersPlan, intervals_over

CUTS = (1, 10, 25, 50)
ROUNDS = 5


@dataclass(frozen=True, kw_only=True)
class IEvaLMPlan(UsersPlan):
    """Free chat of target users, and attribute questions about the wanted item."""

    name: ClassVar = "ievalm"
    papers: ClassVar = ("ievalm",)
    questions: int
    seed: int

    def check(self) -> None:
        super().check()
        sessions.check_wanted(self.given)

    def components(self) -> list[Component]:
        rated = [Component("persuasiveness", name, self.count, "factor") for name in self.raters]
        return [Component("users", self.user_model, self.count * ROUNDS, "target"), *rated]

    def simulator(self, seed: int) -> Json:
        return self.played(self.seed + seed, ROUNDS, type="target", min_rounds=1)

    async def run(self, study: StudyRun) -> None:
        findings = study.findings
        played = await sessions.take(study, self)
        wanted = recalls(CUTS, "last", "Recall@{}, last list")
        wanted |= recalls(CUTS, "session", "Recall@{}, all lists") | SUCCESS_RATE_RATIO
        numbers = await measure(study, played, wanted)
        title = "Free chat: recall (iEvaLM)"
        findings.tabulate("recall-free-chat", title, numbers, list(wanted), shares=True)
        await _attributes(study, self)
        every = []
        for name in self.raters:
            judged = await judgements.judge(study, name, played, [PERSUASIVENESS], self.scoring)
            every.append(judged)
            who = "asked of the simulated user" if name == self.user_model else f"judge {name}"
            summary = judged.summary(f"Persuasiveness, 0-2, {who} (iEvaLM)", [PERSUASIVENESS])
            findings.add(table_of(f"persuasiveness-{judged.file}", summary))
        await instruments.check(study, self, every, [PERSUASIVENESS], {"simulated": played})
        if self.user_model is None:
            findings.leave_out(
                "persuasiveness asked of the simulated user", "no --user-model plays the users"
            )
        for name, label in (("recall", "metric"), ("persuasiveness", "system")):
            title = f"Published: {name} by way of evaluation"
            findings.add(published_table("ievalm", name, title, [label], digits=3))
        findings.methods += _methods(self, played)


async def _attributes(study: StudyRun, plan: IEvaLMPlan) -> None:
    """Recall of the list that follows each answer about an attribute."""
    planned = [question for user in plan.users for question in _questions(study, plan, user)]
    if not planned:
        why = "no wanted item has attributes: add them with --catalog" if plan.questions else "--questions 0"
        why = "--logs has no recommender to ask" if plan.logs else why
        study.findings.leave_out("attribute questions", why)
        return
    replies = await next_replies(study, planned, plan.systems, "questions")
    targets = {user.conversation: user.log["ground_truth"] for user in plan.users}
    numbers = []
    without = 0
    for system, one in product(plan.systems, planned):
        reply = replies[system, one.id]
        if reply.failure is None and reply.recommendations is None:
            without += 1
        elif reply.failure is None:
            said = {"role": "assistant", "content": reply.content, "recommendations": reply.recommendations}
            log = {**one.log, "ground_truth": targets[one.dialogue], "messages": [*one.messages, said]}
            session = StudySession(one.id, system, one.dialogue, sessions.WHOLE, 0, log)
            wanted = recalls(CUTS, "last", f"Recall@{{}}, {_answered(one)} answered")
            numbers += await measure(study, [session], wanted)
    counts = range(1, max(map(_answered, planned)) + 1)
    factors = [f"Recall@{k}, {count} answered" for k, count in product(CUTS, counts)]
    note = f"{without} replies have no list and are in no figure." if without else ""
    title = "Attribute questions: recall of the next list (iEvaLM)"
    study.findings.tabulate("recall-attributes", title, numbers, factors, systems=plan.systems, note=note)


def _answered(question: OpenTurn) -> int:
    """Return how many questions the user has answered behind its opening message."""
    return len(question.messages) // 2


def _questions(study: StudyRun, plan: IEvaLMPlan, user: Source) -> list[OpenTurn]:
    """The user's answers so far, one dimension of the wanted item more each time."""
    style = style_of(str(user.log.get("domain") or UNKNOWN_DOMAIN))
    answers = _attributes_of(study, user)[: plan.questions]
    messages: list[Json] = [{"role": "user", "content": f"Could you recommend a {style.noun} to me?"}]
    found = []
    for number, (dimension, values) in enumerate(answers, 1):
        messages += [
            {"role": "assistant", "content": f"What {dimension} should the {style.noun} have?"},
            {"role": "user", "content": f"{joined(values)}, please."},
        ]
        known = {name: user.log[name] for name in ("domain", "items") if user.log.get(name)}
        found.append(OpenTurn(f"{user.conversation}/{number}", user.conversation, tuple(messages), known))
    return found


def _attributes_of(study: StudyRun, user: Source) -> list[tuple[str, list[str]]]:
    """The wanted items' attributes by dimension, without any that gives a title away."""
    log = parsed(user)
    catalogue = Catalogue.of_log(log, catalogue_of(study.options.catalog_file))
    matched = (catalogue.match(label) for label in log.ground_truth or ()) if catalogue else ()
    wanted = [item for item in matched if item]
    found: dict[str, list[str]] = {}
    for item in wanted:
        for dimension, values in item.attributes.items():
            kept = [value for value in values if not any(names(one.title, value) for one in wanted)]
            found.setdefault(dimension, []).extend(value for value in kept if value not in found[dimension])
    return [(dimension, values) for dimension, values in found.items() if values]


def _methods(plan: IEvaLMPlan, played: Sequence[StudySession]) -> list[str]:
    player = sessions.player(plan, "target users")
    how = f"freely for at most {ROUNDS} rounds, from seed {plan.seed} on"
    sentences = [sessions.described(plan, played, len(plan.users), player, how)]
    if plan.questions:
        sentences.append(
            f"Besides, each user answered up to {plan.questions} questions about attributes of the wanted item, put "
            "in the recommender's name. The list that followed each answer was compared with what was wanted."
        )
    return [
        *sentences,
        f"Persuasiveness was asked on 0-2 of {', '.join(plan.raters)}.",
        intervals_over("users"),
    ]
