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
from ..judges.inquiry import Case
from ..judges.llm.items import cut, hits, list_cut, listed, source_lines, sources_cut, titled, wanted_cut
from ..judges.llm.log_text import cut_flags, render_log
from ..judges.llm.rubrics import words_of
from ..prompts import neutralise, one_line, render
from .roles import DebateRole, factors_of
from .statement import Finding, Floor, Matter, Round, Speech, Statement

FOLDER = Path(__file__).parent / "prompts"
TEMPLATES = ("panel", "matter", "role", "round", "repair")
SILENCE = "(I gave no answer that could be used.)"


class DebatePrompts:
    """The texts in `prompts/`, rendered for a floor. `statement_tokens` is how long a statement is
    asked to be."""

    def __init__(self, statement_tokens: int) -> None:
        self.statement_tokens = statement_tokens
        self.words = words_of(statement_tokens)
        self.texts = {name: (FOLDER / f"{name}.txt").read_text("utf-8").strip() for name in TEMPLATES}

    def messages(self, floor: Floor) -> tuple[ChatMessage, ...]:
        """All that the role reads in the round that is under way."""
        role, matter = floor.role, floor.matter
        # They stand between the quotation marks of tags, which they cannot close.
        titles = {r.slug: one_line(r.title).replace('"', "'") for r in floor.roles}
        return (
            ChatMessage("system", render(self.texts["panel"], words=str(self.words)), prefix_ends=True),
            ChatMessage("user", self._matter(floor), prefix_ends=True),
            ChatMessage("user", self._role(role, matter.case.log.domain)),
            *(message for one in floor.buffer for message in self._round(one, role, titles)),
        )

    def repair(self, problem: str) -> str:
        """The request to answer again."""
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

    def _matter(self, floor: Floor) -> str:
        """Return the conversation with its ratings: those of all roles, or of this one."""
        matter = floor.matter
        wanted = factors_of([floor.role] if matter.own_ratings else floor.roles)
        found = [_rating(matter.findings[slug]) for slug in wanted if slug in matter.findings]
        missing = [
            f'<rating factor="{slug}">There is none.</rating>'
            for slug in wanted
            if slug not in matter.findings
        ]
        return render(
            self.texts["matter"],
            conversation="\n".join(_conversation(matter, tools=floor.role.sees_tools)),
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


def _conversation(matter: Matter, *, tools: bool) -> Iterator[str]:
    case = matter.case
    yield render_log(case, tools=tools)
    if matter.evidence:
        yield matter.evidence
    line = partial(titled, case)
    shown = case.log.session_list(case.list_cutoff)
    if shown:
        yield from ("<recommended>", *listed(case, shown, line), "</recommended>")
    if wanted := case.log.ground_truth:
        found = [hits(case, shown)] if shown else []
        yield from ("<wanted>", *cut(wanted, line), *found, "</wanted>")
    if tools and (sources := [*source_lines(case)]):
        yield from ("<sources>", *sources, "</sources>")


def material_cut(case: Case, *, tools: bool) -> Iterator[Flag]:
    """Return what of a log the roles do not get to see. `tools`: one of them sees calls of tools."""
    yield from cut_flags(case, tools=tools)
    yield from list_cut(case)
    yield from wanted_cut(case)
    if tools:
        yield from sources_cut(case)
