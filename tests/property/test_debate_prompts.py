"""Whatever is said in a debate, a role's prompt only grows at its end."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from service.debate.prompt import DebatePrompts
from service.debate.roles import default_roles, load_roles
from service.debate.statement import Floor, Matter, Round, Speech, SpeechFailed, Statement
from service.domain.conversation import ConversationLog, Message, Role
from service.domain.verdict import JudgeName, Scored
from service.factors import load_factors
from service.judges.inquiry import Case

FACTORS = load_factors()
ROLES = default_roles(load_roles(FACTORS))
JUDGE = JudgeName("openai", "m")
PROMPTS = DebatePrompts(200)

message = st.builds(Message, st.sampled_from(Role), st.text())
logs = st.builds(
    ConversationLog,
    st.lists(message, min_size=1, max_size=4).map(tuple),
    domain=st.sampled_from(["movie", "health", "x"]),
)


@st.composite
def speeches(draw: st.DrawFn) -> tuple[Speech, ...]:
    said: list[Speech] = []
    for role in draw(st.permutations(ROLES)):
        text = draw(st.none() | st.text())
        if text is None:
            said.append(SpeechFailed(role=role.slug, judge=JUDGE, code="refused", detail="no"))
        else:
            said.append(
                Statement(role=role.slug, judge=JUDGE, score=draw(st.integers(0, 100)), statement=text)
            )
    return tuple(said)


@given(logs, st.lists(speeches(), max_size=4), st.sampled_from(ROLES), st.text())
def test_a_prompt_is_a_byte_prefix_of_the_next_one(
    log: ConversationLog, rounds: list[tuple[Speech, ...]], role: object, rationale: str
) -> None:
    verdict = Scored(
        factor="coherence", judge=JUDGE, evaluator_revision="0" * 12, score=2.0, level=2, rationale=rationale
    )
    matter = Matter.of(Case(log), [verdict], FACTORS)
    buffer = tuple(Round(number, said, 4) for number, said in enumerate(rounds, start=1))
    (speaker,) = (one for one in ROLES if one == role)
    prompts = [
        PROMPTS.messages(Floor(speaker, ROLES, matter, buffer[:heard])) for heard in range(len(buffer) + 1)
    ]
    for earlier, later in itertools.pairwise(prompts):
        assert later[: len(earlier)] == earlier
        joined = [
            "".join(m.content for m in messages).encode("utf-8", "surrogatepass")
            for messages in (earlier, later)
        ]
        assert joined[1].startswith(joined[0])
    roles = [m.role for m in prompts[-1]]
    assert roles == [*(m.role for m in prompts[0]), *["assistant", "user"] * len(buffer)]
    assert [m.role for m in prompts[0]] in (["system", "user"], ["system", "user", "user"])
