"""Factors of our own making, small enough to see through."""

from types import MappingProxyType

from service.domain.rubric import Factor, Need, Protocol, Scale


def make_factor(slug: str = "clarity", **fields: object) -> Factor:
    plain: dict[str, object] = {
        "slug": slug,
        "name": slug.title(),
        "protocol": Protocol.CORE,
        "dimension": "expression",
        "position": 1,
        "scale": Scale(0, 4),
        "needs": (Need.MESSAGES, Need.REPLIES),
        "uses": (),
        "rates": "how clear the replies are",
        "definition": "Can the replies be understood?",
        "levels": MappingProxyType({level: f"Level {level} of {slug}." for level in range(5)}),
        "steps": ("Read the replies.", "Count what is unclear."),
        "excludes": ("politeness",),
        "notes": MappingProxyType({"health": "Doses must be plain.", "other": "Plain words."}),
        "ladders": MappingProxyType({}),
        "source": "our own",
        "revision": 1,
    }
    return Factor(**(plain | fields))  # type: ignore[arg-type]
