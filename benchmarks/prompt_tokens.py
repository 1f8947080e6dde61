"""Count what the twelve factors of CoRE and a debate over them cost on 100 logs, by the cache rules of providers. Prompts and
answers are counted by a real tokeniser (o200k). A model is played: it answers with as many words as it is asked for, and all
roles differ to the last round. Prints the table of
`docs/ways-of-judging.md`.

    python -m benchmarks.prompt_tokens
"""

import asyncio
import itertools
import json
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from service.catalogue.catalogue import Catalogue
from service.debates.llm import LLMDebater
from service.debates.prompt import DebatePrompts
from service.debates.roles import default_roles, load_roles
from service.debates.rounds import Terms, run_debate
from service.debates.statement import DebateSubject, Participant
from service.domain.completion import CacheMode, Call, Completion, LLMRequest, Usage
from service.domain.rubric import Protocol
from service.domain.verdict import JudgeName
from service.factors import load_factors
from service.judges.evaluation import EvaluationRequest, JudgeInput
from service.judges.llm import LLMJudge
from service.llm.capability import Capability
from service.llm.failures import Answer
from service.settings import Settings
from service.usecases.wire.log import Log

with warnings.catch_warnings():
    # The package reads its own data by a way that the standard library retires.
    warnings.simplefilter("ignore", DeprecationWarning)
    import bpe_openai

    TOKENS = bpe_openai.get_encoding("o200k_base")

EXAMPLES = Path(__file__).parent.parent / "examples"
FACTORS = load_factors()
CORE = FACTORS.of(Protocol.CORE)
LOGS = 100
ROLES = default_roles(load_roles(FACTORS))
SENTENCE = "The reply takes up what the user asked for, and gives one reason that the user can check. "
QUOTE = "a quiet story of a lighthouse keeper by the sea"


@dataclass(frozen=True)
class Rule:
    """The way in which a provider keeps beginnings of prompts: from `least` tokens on, in steps of `step`, or up to the marks in a
    prompt where `step` is 0. `cached` and `written` are prices of such tokens, as shares of the full price."""

    name: str
    least: int
    step: int
    cached: float
    written: float = 1.0


RULES = (
    Rule("OpenAI, GPT-5 and later", 1024, 128, 0.1),
    Rule("OpenAI, GPT-4o", 1024, 128, 0.5),
    Rule("Anthropic, from 1,024 tokens", 1024, 0, 0.1, 1.25),
    Rule("Anthropic, from 2,048 tokens", 2048, 0, 0.1, 1.25),
    Rule("Anthropic, from 4,096 tokens", 4096, 0, 0.1, 1.25),
    Rule("vLLM, blocks of 16", 16, 16, 0.0),
)


@dataclass
class Account:
    """Tokens of all calls: at full price, written to the cache, read from it, and of answers."""

    full: int = 0
    written: int = 0
    cached: int = 0
    output: int = 0
    calls: int = 0

    def billed(self, rule: Rule) -> float:
        """Return all input in tokens at full price."""
        return self.full + rule.written * self.written + rule.cached * self.cached


@dataclass
class PlayedProvider:
    """Answers each request, and keeps beginnings of prompts from the end of a call on."""

    rule: Rule
    account: Account = field(default_factory=Account)
    kept: set[int] = field(default_factory=set)
    scores: Iterator[int] = field(default_factory=lambda: itertools.cycle((20, 45, 60, 85)))

    def capability(self, _: LLMRequest) -> Capability:
        """Return what the model takes."""
        return Capability(temperature=True, seed=True, limit="max_tokens", prefix_tokens=self.rule.least)

    async def complete(self, requests: Sequence[LLMRequest], _: Call) -> list[Answer]:
        """Return an answer of the asked length to each request."""
        return list(await asyncio.gather(*map(self._one, requests)))

    async def _one(self, request: LLMRequest) -> Answer:
        # Providers put the schema before the prompt.
        parts = [request.schema or "", *(message.content for message in request.messages)]
        lengths = list(itertools.accumulate(map(count_tokens, parts)))
        ends = self._ends(request, lengths)
        prefixes = {end: hash(_beginning(parts, lengths, end)) for end in ends}
        read = max((end for end, prefix in prefixes.items() if prefix in self.kept), default=0)
        text = self._text(request)
        for _ in range(3):
            await asyncio.sleep(0)
        self.kept |= set(prefixes.values())
        written = max(0, max(ends, default=0) - read) if not self.rule.step else 0
        account = self.account
        account.calls += 1
        account.cached += read
        account.written += written
        account.full += lengths[-1] - read - written
        account.output += count_tokens(text)
        return Completion(text, request.model, Usage(lengths[-1], count_tokens(text), read))

    def _ends(self, request: LLMRequest, lengths: list[int]) -> list[int]:
        if self.rule.step:
            return list(range(self.rule.least, lengths[-1] + 1, self.rule.step))
        marked = zip(request.messages, lengths[1:], strict=True)
        return [end for message, end in marked if message.prefix_ends and end >= self.rule.least]

    def _text(self, request: LLMRequest) -> str:
        asked = " ".join(message.content for message in request.messages)
        [words, *_] = [
            int(one) for one in re.findall(r"at most (\d+) words|(\d+) words at most", asked)[0] if one
        ]
        said = " ".join(itertools.islice(itertools.cycle(SENTENCE.split()), words))
        if '"statement"' in (request.schema or ""):
            return json.dumps({"statement": said, "score": next(self.scores)})
        quotes = [{"message": number, "quote": QUOTE} for number in (1, 3)]
        return json.dumps({"evidence": quotes, "rationale": said, "score": 3})


@cache
def _encoded(text: str) -> tuple[int, ...]:
    return tuple(TOKENS.encode(text, disallowed_special=()))


def count_tokens(text: str) -> int:
    """Count the tokens of a text."""
    return len(_encoded(text))


def tokens_sent(request: LLMRequest) -> int:
    """Count the tokens of a request's prompt and schema."""
    return sum(map(count_tokens, (*(one.content for one in request.messages), request.schema or "")))


def _beginning(parts: list[str], lengths: list[int], end: int) -> tuple[object, ...]:
    """The first tokens of a prompt: whole texts as they are, the last one cut."""
    found: list[object] = []
    before = 0
    for part, length in zip(parts, lengths, strict=True):
        if length > end:
            return (*found, _encoded(part)[: end - before])
        found.append(part)
        before = length
    return tuple(found)


def example_logs() -> list[dict[str, Any]]:
    """The bodies of the example logs."""
    return [json.loads(path.read_text())["log"] for path in sorted((EXAMPLES / "logs").glob("*.json"))]


def input_of(raw: dict[str, Any]) -> JudgeInput:
    """Return a log with its items."""
    log = Log.model_validate_json(json.dumps(raw)).value()
    return JudgeInput(log, Catalogue.over(log.items, None))


def judge_inputs() -> Iterator[JudgeInput]:
    """The logs of the examples again and again, each time with another first sentence."""
    bodies = example_logs()
    for name in ("old", "new"):
        lines = (EXAMPLES / "notebooks" / f"{name}.jsonl").read_text().splitlines()
        bodies += [one.get("log", one) for one in map(json.loads, lines)]
    for place, body in zip(range(LOGS), itertools.cycle(bodies), strict=False):
        judge_input = input_of(body)
        first, *others = judge_input.log.messages
        first = replace(first, content=f"Visit {place}. {first.content}", parts=())
        yield replace(judge_input, log=replace(judge_input.log, messages=(first, *others)))


async def played(rule: Rule) -> Account:
    """Score and debate all logs, one after another."""
    provider = PlayedProvider(rule)
    tokens = Settings.model_fields["rationale_tokens"].default
    name = JudgeName("played", "model")
    judge = LLMJudge(provider, name, "http://127.0.0.1", tokens)
    debater = LLMDebater(provider, name, "http://127.0.0.1", DebatePrompts(tokens))
    for judge_input in judge_inputs():
        call = Call(cache=CacheMode.OFF)
        verdicts = [verdict async for verdict in judge.ask(EvaluationRequest(judge_input, CORE), call)]
        subject = DebateSubject.of(judge_input, verdicts, FACTORS)
        async for _ in run_debate(subject, [Participant(role, debater) for role in ROLES], Terms(), call):
            pass
    return provider.account


def main() -> None:
    """Measure and print."""
    print("| cache rule | calls a log | sent a log | at full price | as full price, weighted | answers |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for rule in RULES:
        one = asyncio.run(played(rule))
        sent = one.full + one.written + one.cached
        figures = (sent, one.full + one.written, one.billed(rule), one.output)
        print(
            f"| {rule.name} | {one.calls / LOGS:.1f} | "
            + " | ".join(f"{n / LOGS:,.0f}" for n in figures)
            + " |"
        )


if __name__ == "__main__":
    main()
