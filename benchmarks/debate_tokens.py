"""Count how much of a debate's input a provider has read before: by a real tokenizer, for a debate of four
roles over four rounds that never agree.

    python -m benchmarks.debate_tokens [LOG.json ...]

Reads `benchmarks/debate/*.json` (logs made up for this) and the logs named, and writes
`benchmarks/results/debate_tokens.md`. A role's prompt counts as read before where it repeats,
token for token, a prompt that was sent in an earlier round; what the roles of one round share is
not counted, since they are asked at the same moment.
"""

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

import bpe_openai

from service.debate.llm import SCHEMA
from service.debate.prompt import DebatePrompts
from service.debate.roles import default_roles, load_roles
from service.debate.rounds import MAX_ROUNDS, Terms, settle
from service.debate.statement import Floor, Matter, Seat, Speech, Statement
from service.domain.completion import Call, ChatMessage
from service.domain.conversation import ConversationLog, Message, Role
from service.domain.rubric import Protocol
from service.domain.verdict import JudgeName, Scored
from service.factors import load_factors
from service.judges.inquiry import Case

ENCODING = "o200k_base"
HERE = Path(__file__).parent
TABLE = HERE / "results" / "debate_tokens.md"
LENGTHS = (200, 150)
"""The asked length of a statement, in tokens."""

FILLER = (
    "I have weighed what the others bring forward, and I still see the first replies as the place where the user is "
    "lost or won. The system answers a question that was not asked, and the user has to repeat the wish in other "
    "words; that costs patience which no later suggestion buys back. On the other side I grant that the list holds "
    "what was wanted and that nothing in it offends. To the member who puts this far higher I say: a good list behind "
    "words that nobody understands does not help anyone who only reads the words. To the member who puts it far "
    "lower: the wish was met in the end, and I would come back for that. My own factors speak for the middle, and "
    "the middle is where I stay until somebody shows me a reply that I have misread. Reasons were given seldom, "
    "questions were asked late, and corrections were taken up only in part, as the ratings say as well. "
)
RATIONALE = (
    "Of the replies, the second and the third miss what the user asked: one names a title without any relation to "
    "the request, the other repeats words and ends in a question that cannot be answered. The first and the last "
    "one do take the request up. Counting the misses gives the level; no other passage changes it."
)


METER = JudgeName("meter", "fixed")


@dataclass
class Meter:
    """A debater that says statements of a fixed length and keeps every prompt it would have sent."""

    prompts: DebatePrompts
    tokens: int
    name: JudgeName = METER
    revision: str = "0" * 12
    sent: list[tuple[str, int, list[int]]] = field(default_factory=list)

    async def speak(self, floor: Floor, call: Call) -> Speech:  # noqa: ARG002
        """The same number of tokens every time; a score that differs by role."""
        prompt = encode(serialise(self.prompts.messages(floor)))
        self.sent.append((floor.role.slug, floor.number, prompt))
        score = 20 * (1 + [role.slug for role in floor.roles].index(floor.role.slug))
        text = f"Round {floor.number}, {floor.role.title}: " + decode(encode(FILLER)[: self.tokens - 8])
        return Statement(role=floor.role.slug, judge=self.name, score=score, statement=text)


@dataclass(frozen=True)
class Count:
    """Input tokens of a debate: all, and those in prefixes that were sent in an earlier round."""

    total: int
    before: int
    first: int

    @property
    def share(self) -> float:
        """The share of the input that was read before."""
        return self.before / self.total


_ENCODING = bpe_openai.get_encoding(ENCODING)


def encode(text: str) -> list[int]:
    """Tokens of a text."""
    return list(_ENCODING.encode(text, disallowed_special=()))


def decode(tokens: Sequence[int]) -> str:
    """The text of tokens."""
    return str(_ENCODING.decode(tokens))


def serialise(messages: Sequence[ChatMessage]) -> str:
    """Messages as chat templates lay them out, role and end marked; the schema stands before."""
    turns = "".join(f"[{m.role}]\n{m.content}\n[end]\n" for m in messages)
    return f"{SCHEMA}\n{turns}"


def read_log(path: Path) -> ConversationLog:
    """A log in the wire's format."""
    row = json.loads(path.read_text(encoding="utf-8"))
    row = row.get("log", row)

    def messages(rows: Sequence[dict[str, object]]) -> tuple[Message, ...]:
        return tuple(
            Message(Role(str(m["role"])), str(m["content"]), tuple(m.get("recommendations") or ()) or None)  # type: ignore[arg-type]
            for m in rows
        )

    return ConversationLog(
        messages(row["messages"]),
        history=messages(row.get("history", ())),
        ground_truth=tuple(row.get("ground_truth", ())) or None,
        domain=row.get("domain", "movie"),
    )


async def count(log: ConversationLog, statement_tokens: int) -> Count:
    """Hold a debate that never agrees and count what its prompts repeat."""
    factors = load_factors()
    verdicts = [
        Scored(
            factor=factor.slug, judge=METER, evaluator_revision="0" * 12,
            score=2.0, level=2, rationale=RATIONALE,
        )
        for factor in factors.of(Protocol.CORE)
    ]  # fmt: skip
    meter = Meter(DebatePrompts(statement_tokens), statement_tokens)
    seats = [Seat(role, meter) for role in default_roles(load_roles(factors))]
    await settle(Matter.of(Case(log), verdicts, factors), seats, Terms(MAX_ROUNDS), Call())
    before = sum(
        max((_shared(prompt, other) for _, earlier, other in meter.sent if earlier < number), default=0)
        for _, number, prompt in meter.sent
    )
    first = sum(len(prompt) for _, number, prompt in meter.sent if number == 1)
    return Count(sum(len(prompt) for _, _, prompt in meter.sent), before, first)


def _shared(prompt: Sequence[int], other: Sequence[int]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(prompt, other, strict=False)))


def main() -> None:
    """Count, print, write."""
    paths = [*map(Path, sys.argv[1:]), *(HERE / "debate").glob("*.json")]
    lines = [
        "# Input tokens of a 4 x 4 debate",
        "",
        f"`python -m benchmarks.debate_tokens`, tokenizer `{ENCODING}`. *Read before* is the share of all input in",
        "prefixes that an earlier round sent already, which providers bill at their cached rate. The logs stand in",
        "`benchmarks/debate`; `paper-example` is the one printed in CoRE (figure 13), which is not ours to include.",
        "",
        "| log | messages | tokens a statement | input, round 1 | input, all rounds | read before | share |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for path in sorted(paths, key=lambda path: path.stat().st_size):
        log = read_log(path)
        for length in LENGTHS:
            found = asyncio.run(count(log, length))
            lines.append(
                f"| {path.stem} | {len(log.history) + len(log.messages)} | {length} | {found.first:,} | "
                f"{found.total:,} | {found.before:,} | {found.share:.1%} |"
            )
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
