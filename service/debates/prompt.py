"""The prompt of a language model that speaks for a role.

All roles share the beginning: the panel's task, then the log and its verdicts. Then each reads who it is, and for each round
its own answer and what the others said. Nothing before the end ever changes, so a provider bills most of a debate at its cached
rate. User and assistant alternate, as some servers insist on."""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from ..domain.completion import ChatMessage
from ..domain.verdict import Flag, Scored
from ..judges.evaluation import JudgeInput
from ..judges.llm.items import cut, hits, list_cut, listed, source_lines, sources_cut, titled, wanted_cut
from ..judges.llm.log_text import cut_flags, render_log
from ..judges.llm.rubrics import words_of
from ..prompts import neutralise, one_line, render
from .roles import DebateRole, factors_of
from .statement import DebateSubject, Finding, Round, SpeakerContext, Speech, Statement

FOLDER = Path(__file__).parent / "prompts"
TEMPLATES = ("panel", "matter", "role", "round", "repair")
SILENCE = "(I gave no answer that could be used.)"


class DebatePrompts:
    """The texts in `prompts/`, rendered for a speaker. `statement_tokens` is how long a statement is
    asked to be."""

    def __init__(self, statement_tokens: int) -> None:
        self.statement_tokens = statement_tokens
        self.words = words_of(statement_tokens)
        self.texts = {name: (FOLDER / f"{name}.txt").read_text("utf-8").strip() for name in TEMPLATES}

    def messages(self, context: SpeakerContext) -> tuple[ChatMessage, ...]:
        """Return all that the role reads in the current round."""
        role, subject = context.role, context.subject
        # They go between the quotation marks of tags, which they cannot close.
        titles = {r.slug: one_line(r.title).replace('"', "'") for r in context.roles}
        return (
            ChatMessage("system", render(self.texts["panel"], words=str(self.words)), prefix_ends=True),
            ChatMessage("user", self._subject(context), prefix_ends=True),
            ChatMessage("user", self._role(role, subject.judge_input.log.domain)),
            *(message for one in context.buffer for message in self._round(one, role, titles)),
        )

    def repair(self, problem: str) -> str:
        return render(self.texts["repair"], problem=problem)

    def _role(self, role: DebateRole, domain: str) -> str:
        note = role.note(domain)
        return render(
            self.texts["role"],
            title=one_line(role.title),
            identity=neutralise(role.identity(domain)),
            concerns=_listed("You ask yourself:", role.cares) + _listed("What you bring:", role.expertise),
            factors=", ".join(role.factors),
            note=f"\n{note}\n" if note else "",
        )

    def _subject(self, context: SpeakerContext) -> str:
        """Return the conversation with its ratings: those of all roles, or of this one."""
        subject = context.subject
        wanted = factors_of([context.role] if subject.own_ratings else context.roles)
        found = [_rating(subject.findings[slug]) for slug in wanted if slug in subject.findings]
        missing = [
            f'<rating factor="{slug}">There is none.</rating>'
            for slug in wanted
            if slug not in subject.findings
        ]
        return render(
            self.texts["matter"],
            conversation="\n".join(_conversation(subject, tools=context.role.sees_tools)),
            ratings="\n".join(found + missing),
        )

    def _round(self, one: Round, role: DebateRole, titles: dict[str, str]) -> tuple[ChatMessage, ChatMessage]:
        others = [speech for speech in one.speeches if speech.role != role.slug]
        own = next(speech for speech in one.speeches if speech.role == role.slug)
        heard = render(
            self.texts["round"],
            before=str(one.number),
            number=str(one.number + 1),
            statements="\n".join(_heard(speech, titles[speech.role]) for speech in others),
        )
        answer = SILENCE
        if isinstance(own, Statement):
            answer = json.dumps({"statement": own.statement, "score": own.score}, ensure_ascii=False)
        return ChatMessage("assistant", answer), ChatMessage("user", heard)


def _listed(lead: str, lines: Sequence[str]) -> str:
    return "\n".join(["", lead, "", *(f"- {line}" for line in lines), ""]) if lines else ""


def _heard(speech: Speech, title: str) -> str:
    if isinstance(speech, Statement):
        words = neutralise(speech.statement)
        return f'<statement by="{title}" score="{speech.score}">\n{words}\n</statement>'
    return f'<statement by="{title}">No usable answer in this round.</statement>'


def _rating(finding: Finding) -> str:
    factor, verdict = finding.factor, finding.verdict
    scale = f"{factor.scale.min}-{factor.scale.max}"
    if isinstance(verdict, Scored):
        return (
            f'<rating factor="{factor.slug}" rates="{factor.rates}" score="{verdict.score:g}" scale="{scale}">\n'
            f"{neutralise(verdict.rationale)}\n</rating>"
        )
    return f'<rating factor="{factor.slug}" rates="{factor.rates}">No score: {neutralise(verdict.detail)}</rating>'


def _conversation(subject: DebateSubject, *, tools: bool) -> Iterator[str]:
    judge_input = subject.judge_input
    yield render_log(judge_input, tools=tools)
    if subject.evidence:
        yield subject.evidence
    line = partial(titled, judge_input)
    shown = judge_input.log.session_list(judge_input.list_cutoff)
    if shown:
        yield from ("<recommended>", *listed(judge_input, shown, line), "</recommended>")
    if wanted := judge_input.log.ground_truth:
        found = [hits(judge_input, shown)] if shown else []
        yield from ("<wanted>", *cut(wanted, line), *found, "</wanted>")
    if tools and (sources := [*source_lines(judge_input)]):
        yield from ("<sources>", *sources, "</sources>")


def material_cut(judge_input: JudgeInput, *, tools: bool) -> Iterator[Flag]:
    """Return flags for parts of a log hidden from the roles. `tools`: one role sees tool calls."""
    yield from cut_flags(judge_input, tools=tools)
    yield from list_cut(judge_input)
    yield from wanted_cut(judge_input)
    if tools:
        yield from sources_cut(judge_input)
