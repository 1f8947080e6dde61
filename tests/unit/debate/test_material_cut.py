"""The warnings of a debate tell of a long log all that its prompts leave out."""

from service.debate.embedded import EmbeddedDebater
from service.debate.roles import default_roles, load_roles
from service.debate.rounds import Terms
from service.debate.statement import Debater, Matter, Seat
from service.domain.completion import Call
from service.domain.conversation import ConversationLog, Message, Role
from service.domain.parts import ToolResult
from service.factors import load_factors
from service.judges.inquiry import Case
from tests.unit.debate.scripted import Scripted, settle, verdict

FACTORS = load_factors()
ROLES = default_roles(load_roles(FACTORS))
LONG = ConversationLog(
    (
        Message(Role.USER, "Jackets, please."),
        Message(Role.TOOL, "", parts=(ToolResult("x" * 25_000),)),
        *(
            Message(Role.ASSISTANT, "These:", tuple(f"Jacket {reply}-{n}" for n in range(50)))
            for reply in range(9)
        ),
    ),
    ground_truth=tuple(f"Coat {n}" for n in range(120)),
)


async def codes(log: ConversationLog, debater: Debater) -> list[str]:
    matter = Matter.of(Case(log, list_cutoff=50), [verdict("coherence", 3)], FACTORS)
    debate = await settle(matter, [Seat(role, debater) for role in ROLES], Terms(), Call())
    return [one.detail for one in debate.warnings if one.code == "material_cut"]


async def test_models_are_told_apart_from_rules() -> None:
    told = " ".join(await codes(LONG, Scripted([60] * 4, "scripted:one")))
    for part in (
        "400 of 450 items",
        "24000 of 25000 characters",
        "100 of 450 items",
        "100 of 120 wanted items",
    ):
        assert part in told
    assert not await codes(LONG, EmbeddedDebater())


async def test_a_short_log_is_shown_whole() -> None:
    short = ConversationLog((Message(Role.USER, "Hi."), Message(Role.ASSISTANT, "Hello.", ("Amber Coast",))))
    assert not await codes(short, Scripted([60] * 4, "scripted:one"))
