"""Rubrics and lists of faults as prompts show them, and the instruction that may hold all rubrics of a protocol."""

from collections.abc import Sequence
from functools import cache, lru_cache

from ...domain.modes import Judging
from ...domain.rubric import Factor, Part, Protocol
from ...factors import load_factors
from ...faults import Fault, load_faults
from ...prompts import prompt, render
from .itemised.outline import ITEM_FORMS

WORDS_PER_TOKEN = 0.75
CHARACTERS_PER_TOKEN = 4.7
"""Rather many for English text in today's tokenisers, so that a beginning that is judged long enough is."""


def words_of(tokens: int) -> int:
    """Return a length in words, as a model is asked for it."""
    return max(20, round(tokens * WORDS_PER_TOKEN))


@cache
def _shipped() -> dict[str, Factor]:
    return dict(load_factors())


def shared_protocol(factors: Sequence[Factor]) -> Protocol | None:
    """Return the protocol whose rubrics one instruction can hold for these factors. None for factors that ship with no
    protocol, in another reading than ours, or of several protocols."""
    protocols = {factor.protocol for factor in factors}
    ships = all(
        factor.protocol is not Protocol.CUSTOM and _shipped().get(factor.slug) == factor for factor in factors
    )
    return protocols.pop() if ships and len(protocols) == 1 else None


@lru_cache(maxsize=64)
def instruction(
    words: int, judging: Judging = Judging.RATING, protocol: Protocol | None = None, *, anchors: bool = False
) -> str:
    """Return the beginning of a prompt. It is the same for all logs. With all rubrics of a `protocol` it is the same for
    all factors as well, and long enough for providers to keep it."""
    task = prompt("judge/items")
    if judging is Judging.RATING:
        task = render(prompt("judge/rating"), words=str(words))
    of_protocol = [factor for factor in _shipped().values() if factor.protocol is protocol]
    rubrics = [rubric(factor, anchors=anchors, all_notes=True) for factor in of_protocol]
    return render(
        prompt("judge/instruction"),
        what="the rubrics of factors",
        rubrics="the rubric of each factor that you are asked about",
        task="\n\n".join([task, *rubrics]),
    )


@cache
def shared_length(protocol: Protocol) -> float:
    """Return about how many tokens the instruction with all rubrics of a protocol has."""
    return len(instruction(20, Judging.RATING, protocol)) / CHARACTERS_PER_TOKEN


def rubric(
    factor: Factor, judging: Judging = Judging.RATING, *, anchors: bool = False, all_notes: bool = False
) -> str:
    """Return a factor's rubric: with levels and steps, and on request with worked examples and the notes of all domains; or with
    the list to make."""
    if judging is Judging.ITEMISED:
        return _listing(factor)
    return render(
        prompt("judge/rubric"),
        slug=factor.slug,
        name=factor.name,
        rates=factor.rates,
        definition=factor.definition,
        levels="\n".join(f"{level}: {factor.levels[level]}" for level in reversed(factor.scale.levels)),
        steps="\n".join(f"{number}. {step}" for number, step in enumerate(factor.steps, 1)),
        excludes="\n".join(f"- {excluded}" for excluded in factor.excludes)
        + (_all_notes(factor) if all_notes else ""),
        anchors=_anchors(factor) if anchors else "",
    )


def _all_notes(factor: Factor) -> str:
    lines = [f"- {domain}: {note}" for domain, note in factor.notes.items()]
    return "\n\nBy domain\n" + "\n".join(lines) if lines else ""


def _anchors(factor: Factor) -> str:
    """The worked examples of a factor, best first, and the one that tells it from another."""
    lines = [
        f"- Level {one.level}. {one.talk}\n  Why: {one.why}"
        for one in sorted(factor.anchors, key=lambda one: -one.level)
    ]
    if factor.contrast:
        lines.append(f"- Not {factor.contrast.factor}. {factor.contrast.talk}\n  Why: {factor.contrast.why}")
    head = "\n\nWorked examples (U is the user, R the recommender; they are not part of the log)"
    return "\n".join([head, *lines]) if lines else ""


def _listing(factor: Factor) -> str:
    asked = factor.itemised
    assert asked is not None
    named = [
        (key.name, key.instruction)
        for part, key in asked.keys.items()
        if part is not Part.ITEM or asked.form not in ITEM_FORMS
    ]
    return render(
        prompt("judge/listing"),
        slug=factor.slug,
        name=factor.name,
        rates=factor.rates,
        definition=factor.definition,
        asks=asked.asks,
        keys="\n".join(f'- "{name}": {text}' for name, text in named),
        excludes="\n".join(f"- {excluded}" for excluded in factor.excludes),
    )


def named_domain(factors: Sequence[Factor], domain: str) -> str:
    """Return the sentence that names the entry of the log's domain among the notes; empty where there are none."""
    known = {name for factor in factors for name in factor.notes}
    entry = domain.casefold() if domain.casefold() in known else "other"
    return f'\n\nIn this domain the entry "{entry}" under "By domain" holds.' if known else ""


def notes(factors: Sequence[Factor], domain: str) -> str:
    """Return what a domain changes in these factors; empty where it changes nothing."""
    found = [(factor.slug, note) for factor in factors if (note := factor.note(domain))]
    if not found:
        return ""
    lines = [f"{slug}: {note}" if len(factors) > 1 else note for slug, note in found]
    return "\n\nIn this domain\n" + "\n".join(lines)


OCCASIONS = {
    "recoverability": ("errors_pointed_out", "judge/faults_pointed_out"),
    "explainability": ("recommending_replies", "judge/faults_recommending"),
}
"""Factors that concern only some replies: the list of their messages, and the prompt that asks for it."""


def faults_lowering(slugs: Sequence[str]) -> tuple[Fault, ...]:
    """Return the faults that lower any of these factors, in the order of the catalogue."""
    return tuple(fault for fault in load_faults().values() if not fault.costs.keys().isdisjoint(slugs))


def occasions(slugs: Sequence[str]) -> tuple[str, ...]:
    """Return the lists of messages that the answer holds beside the faults."""
    return tuple(name for factor, (name, _) in OCCASIONS.items() if factor in slugs)


def fault_instruction(slugs: tuple[str, ...], lists: Sequence[Factor] = ()) -> str:
    """Return the beginning of a prompt about these factors: the list of faults, and the rubrics of the `lists` of items."""
    rubrics = [prompt("judge/items"), *(rubric(one, Judging.ITEMISED) for one in lists)]
    return render(
        prompt("judge/instruction"),
        what="a list of faults, the rubrics of some factors" if lists else "a list of faults",
        rubrics="the list and the rubrics" if lists else "the list",
        task="\n\n".join([_listed_faults(slugs), *(rubrics if lists else ())]),
    )


@lru_cache(maxsize=64)
def _listed_faults(slugs: tuple[str, ...]) -> str:
    listed = [
        render(
            prompt("judge/fault"),
            slug=fault.slug,
            definition=fault.definition,
            excludes="; ".join(fault.excludes),
        )
        for fault in faults_lowering(slugs)
    ]
    return render(prompt("judge/faults"), faults="\n".join(listed))


def fault_task(slugs: tuple[str, ...]) -> str:
    """Return what is asked after the log."""
    asked = [(name, text) for factor, (name, text) in OCCASIONS.items() if factor in slugs]
    return render(
        prompt("judge/faults_asked"),
        lists="".join(f" {prompt(text)}" for _, text in asked),
        keys="".join(f'"{name}": [number, ...], ' for name, _ in asked),
    )
