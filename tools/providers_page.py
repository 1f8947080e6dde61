"""docs/language-models.md, the part that the registry of providers says: settings, what models take, how tokens are counted."""

from pathlib import Path

from service.llm.capability import Capability
from service.llm.declaration import ModelFamily, ProviderDeclaration
from service.llm.providers import providers
from service.settings import address_variable
from tools.marked_part import with_part

PAGE = Path(__file__).parent.parent / "docs" / "language-models.md"


def language_models_page() -> str:
    """The page with its tables as the registry is."""
    known = providers().values()
    return with_part(
        PAGE.read_text(),
        "providers",
        [
            "| provider | judges | key | address | tokens |",
            "| --- | --- | --- | --- | --- |",
            *(_row(one) for one in known),
            "",
            "| protocol | models | sampling | the answer's bound | form | kept prefix |",
            "| --- | --- | --- | --- | --- | --- |",
            *(_family(one, family) for one in known for family in one.families),
        ],
    )


def _row(one: ProviderDeclaration) -> str:
    address = f"`{address_variable(one.name)}`, else {one.base_url}"
    return f"| {one.title} | `{one.name}:<model>` | `{one.key}` | {address} | {one.example.worked} |"


def _family(one: ProviderDeclaration, family: ModelFamily) -> str:
    takes = family.takes
    models = ", ".join(f"`{pattern}`" for pattern in family.models)
    bound = f"`{takes.limit}`{', thinks within it' if takes.reasoning else ''}" if takes.limit else ""
    prefix = f"{takes.prefix_tokens:,} tokens" if takes.prefix_tokens else ""
    return f"| {one.protocol} | {models} | {_sampling(takes)} | {bound} | {takes.format} | {prefix} |"


def _sampling(takes: Capability) -> str:
    names = ("temperature", takes.temperature), ("seed", takes.seed), ("logprobs", takes.logprobs)
    return ", ".join(name for name, taken in names if taken)
