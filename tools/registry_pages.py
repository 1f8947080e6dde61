"""Tables of the documentation that come from registries, such as factors, faults, formats, metrics and settings, and from `action.yml`.

Each table is between two marks on its page."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import yaml
from pydantic.fields import FieldInfo

from service.computed_metrics.families import metrics
from service.computed_metrics.figures import Undefined
from service.debates.roles import load_roles
from service.domain.counts import ACCEPTED, CONTENT, OBJECTED, REJECTED, REPEATED, SOUND
from service.domain.idle import Idle, span_text
from service.domain.rubric import Factor
from service.factors import load_factors
from service.faults import Fault, load_faults
from service.faults.measured import FaultMeasurement, load_measurements
from service.importing.declared.reading import Format
from service.importing.formats import formats
from service.importing.imported import Wanted, kept_of
from service.importing.importer import Import
from service.llm.declaration import ModelFamily, ProviderDeclaration
from service.llm.providers import providers
from service.scoring.overall import COUNTED, FACTORS, TOP, OverallModel, overall_models
from service.settings import SPAN, Settings, address_variable, variable_of
from service.simulators.kind import Kind
from service.simulators.kinds import kinds
from tools.format_samples import Line, sample

DOCS = Path(__file__).parent.parent / "docs"
FACTORS_PAGE = DOCS / "factors.md"
DEBATE_PAGE = DOCS / "debate.md"
METRICS_PAGE = DOCS / "computational-metrics.md"
SIMULATORS_PAGE = DOCS / "simulated-users.md"
PROVIDERS_PAGE = DOCS / "language-models.md"
SETTINGS_PAGE = DOCS / "settings.md"

_SAMPLE: tuple[Line, ...] = (
    ("user", "A quiet film, please"),
    ("assistant", "Try Paper Lanterns (2009)"),
    ("user", "No, another"),
    ("assistant", "Then Glass Harvest (2018)"),
)
_COUNTS = {
    SOUND: ("sound replies", "no reply has a fault"),
    ACCEPTED: ("reaction: accepts", "each later message of the user accepts something"),
    REJECTED: ("reaction: rejects", "none of them rejects anything"),
    OBJECTED: ("reaction: complains", "none of them complains"),
    CONTENT: ("reaction: sounds content", "all of them sound content; a neutral message gives 2"),
    REPEATED: ("reaction: repeats", "the user repeats no words"),
}
"""Parts of the overall score that the embedded judge counts: a name, and what gives 4 points."""
_SAMPLE_NAMES = {"1": "Paper Lanterns (2009)", "3": "Glass Harvest (2018)"}


def registry_page(page: Path) -> str:
    """Return a page of `TABLES` with its tables as the registries are. Raises ValueError for a page without the marks."""
    text = page.read_text(encoding="utf-8")
    for name, lines in TABLES[page]().items():
        text = with_part(text, name, lines)
    return text


def with_part(page: str, name: str, lines: Iterable[str]) -> str:
    """Return the page with these lines between its marks of that name. Raises ValueError for a page without them."""
    begin, end = f"<!-- {name}: written by `make generate` -->", f"<!-- end of {name} -->"
    before, opened, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not opened or not closed:
        raise ValueError(f"the page has no marks {begin} and {end}")
    return "\n".join([before + begin, "", *lines, "", end + after])


def _table(head: str, rows: Iterable[str]) -> list[str]:
    return [head, re.sub(r"[^|]+", " --- ", head), *rows]


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _factors() -> dict[str, list[str]]:
    factors = load_factors().values()
    departs = (f"| `{factor.slug}` | {text} |" for factor in factors for text in factor.deviations)
    return {
        "factors": _table(
            "| factor | protocol, dimension | scale | needs | what it asks |", map(_factor, factors)
        ),
        "deviations": _table("| factor | where it departs from its paper |", departs),
    }


def _factor(factor: Factor) -> str:
    asks = " ".join(factor.definition.split())
    group = ", ".join(filter(None, (factor.protocol, factor.dimension)))
    scale = f"{factor.scale.min} to {factor.scale.max}"
    return f"| `{factor.slug}` | {group} | {scale} | {', '.join(factor.needs)} | {asks} |"


def _roles() -> dict[str, list[str]]:
    rows = (
        f"| `{role.slug}` | {role.title}{'' if role.default else ', if a request names it'} | {_codes(role.factors)} |"
        for role in load_roles(load_factors()).values()
    )
    return {"roles": _table("| role | who it is | answers for |", rows)}


def _faults() -> dict[str, list[str]]:
    by_home = sorted(
        load_faults().values(), key=lambda fault: (fault.home, -fault.costs[fault.home], fault.slug)
    )
    measured = (_measured(slug, one) for slug, found in load_measurements().items() for one in found)
    return {
        "faults": _table(
            "| fault | definition | factor, cost | also costs | found by | certain |", map(_fault, by_home)
        ),
        "measured": _table("| fault | on | pairs | sensitivity | false alarms |", measured),
    }


def _fault(fault: Fault) -> str:
    also = ", ".join(f"{factor} {cost:g}" for factor, cost in fault.costs.items() if factor != fault.home)
    home = f"{fault.home} {fault.costs[fault.home]:g}"
    certain = "yes" if fault.certain else ""
    return (
        f"| `{fault.slug}` | {fault.definition} | {home} | {also} | {', '.join(fault.found_by)} | {certain} |"
    )


def _measured(slug: str, one: FaultMeasurement) -> str:
    seen = (
        "unknown" if one.sensitivity is None else f"{one.sensitivity:.2f} ({one.low:.2f} to {one.high:.2f})"
    )
    alarms = "" if one.false_alarms is None else f"{one.false_alarms:.1%} of {one.good_replies}"
    return f"| `{slug}` | {one.on} | {one.n} | {seen} | {alarms} |"


def _overall() -> dict[str, list[str]]:
    models = overall_models()
    counted, factors = models[COUNTED], models[FACTORS]
    head = "| part, 0-4 | in an answer | 4 points if | weight | weight with a language model |"
    rows = [_part(slug, counted, factors) for slug in dict.fromkeys((*counted.weights, *factors.weights))]
    lines = f"| **overall score** | `overall` | | {_line(counted)} | {_line(factors)} |"
    scores = [
        f"{mean:g} gives {min(TOP, max(0.0, counted.intercept + counted.slope * mean)):.1f}"
        for mean in (2.0, 2.5, 3.0)
    ]
    example = f"So with the embedded judge, a weighted mean of {scores[0]}, {scores[1]}, and {scores[2]}."
    return {"overall": [*_table(head, [*rows, lines]), "", example]}


def _part(slug: str, *models: OverallModel) -> str:
    name, best = _COUNTS.get(slug, (slug, "no fault lowers this factor"))
    place = f"`counts.{slug}`" if slug in _COUNTS else "`score`"
    shares = (one.weights.get(slug, 0.0) / sum(one.weights.values()) for one in models)
    return (
        f"| {name} | {place} | {best} | {' | '.join(f'{share:.0%}' if share else '' for share in shares)} |"
    )


def _line(model: OverallModel) -> str:
    if (model.slope, model.intercept) == (1.0, 0.0):
        return "weighted mean"
    sign = "-" if model.intercept < 0 else "+"
    return f"{model.slope:g} x weighted mean {sign} {abs(model.intercept):g}"


def _inputs() -> dict[str, list[str]]:
    inputs = yaml.safe_load((DOCS.parent / "action.yml").read_text(encoding="utf-8"))["inputs"]
    rows = (
        f"| `{name}` | {one.get('default', 'required')} | {one['description']} |"
        for name, one in inputs.items()
    )
    return {"inputs": _table("| input | default | means |", rows)}


def _formats() -> dict[str, list[str]]:
    rows = map(_format, formats().values())
    return {"formats": _table("| `--from` | reads | kept of its sample | left out |", rows)}


def _format(known: Format) -> str:
    importing = Import([("sample", sample(known, _SAMPLE).encode())], known.name, Wanted(names=_SAMPLE_NAMES))
    logs = list(importing.logs())
    kept = sum((kept_of(one) for one in logs), Counter[str]())
    left = sum((Counter(one.left) for one in logs), importing.left)
    described = known.described.startswith("https://")
    name = f"[`{known.name}`]({known.described})" if described else f"`{known.name}`"
    return f"| {name} | {known.reads} | {_counted(kept)} | {_counted(left) or 'nothing'} |"


def _counted(counts: "Counter[str]") -> str:
    """The names of what is counted, metadata last."""
    plain = [name for name in counts if "metadata" not in name]
    noted = dict.fromkeys(re.sub(r"^(?:\w+\.)?metadata\.", "", name) for name in counts if name not in plain)
    return "; as metadata ".join(filter(None, (_codes(plain), _codes(noted))))


def _metrics() -> dict[str, list[str]]:
    known = metrics().values()
    rows = (
        f"| `{one.name}` | {', '.join(one.views)} | {one.unit} | {', '.join(one.needs)} | {one.says} |"
        for one in known
    )
    lines = [
        *_table("| metric | view | unit | needs | definition |", rows),
        "",
        "If an input is missing, the rows of a metric have no value. Each metric has a small example, worked by hand:",
        "",
        *_table("| metric | example |", (f"| `{one.name}` | {one.example.worked} |" for one in known)),
        "",
        f"`undefined` is one of {_codes(Undefined)}. The list may grow.",
    ]
    return {"metrics": lines}


def _simulators() -> dict[str, list[str]]:
    known = kinds().values()
    head = "| `type` | who it is | spoken by | what it knows besides the messages | settings, with bounds and defaults |"
    lines = [
        *_table(head, map(_simulator, known)),
        "",
        "Each type has a small example, worked by hand:",
        "",
        *_table("| `type` | example |", (f"| `{kind.name}` | {kind.example.worked} |" for kind in known)),
    ]
    return {"simulators": lines}


def _simulator(kind: Kind) -> str:
    settings = [f"`{name}` {one.least} to {one.most}, {one.default}" for name, one in kind.settings.items()]
    if kind.variants:
        readings = ", ".join(f"`{name}`: {says}" for name, says in kind.variants.items())
        settings.append(f"`variant` {readings}")
    return f"| `{kind.name}` | {kind.says} | {kind.backend} | {_codes(kind.knows)} | {', '.join(settings)} |"


def _providers() -> dict[str, list[str]]:
    known = providers().values()
    families = (_family(one, family) for one in known for family in one.families)
    lines = [
        *_table("| provider | judges | key | address | tokens |", map(_provider, known)),
        "",
        *_table(
            "| protocol | models | sampling | limit of the answer | format | shortest cached prefix |",
            families,
        ),
    ]
    return {"providers": lines}


def _provider(one: ProviderDeclaration) -> str:
    address = f"`{address_variable(one.name)}`, else {one.base_url}"
    return f"| {one.title} | `{one.name}:<model>` | `{one.key}` | {address} | {one.tokens} |"


def _family(one: ProviderDeclaration, family: ModelFamily) -> str:
    takes = family.takes
    sampling = ", ".join(name for name in ("temperature", "seed", "logprobs") if getattr(takes, name))
    bound = f"`{takes.limit}`{', includes thinking' if takes.reasoning else ''}" if takes.limit else ""
    prefix = f"{takes.prefix_tokens:,} tokens" if takes.prefix_tokens else ""
    return f"| {one.protocol} | {_codes(family.models)} | {sampling} | {bound} | {takes.format} | {prefix} |"


def _settings() -> dict[str, list[str]]:
    fields = Settings.model_fields
    rows = [
        row
        for name in fields
        for row in (_provider_rows() if name == "providers" else [_setting(name, fields[name])])
    ]
    return {"settings": _table("| variable | default | meaning |", rows)}


def _setting(name: str, field: FieldInfo) -> str:
    meaning = " ".join((field.description or "").split())
    return f"| `{variable_of(name)}` | {_default(field.default, field.metadata)} | {meaning} |"


def _provider_rows() -> list[str]:
    known = providers()
    addresses = [
        f"| `{address_variable(name)}` | unset | Base URL for `{name}:` judges. Default: the provider's own. |"
        for name in known
    ]
    keys = [
        f"| `{one.key}` | unset | API key of `{name}`, under the SDK's own name. |"
        for name, one in known.items()
    ]
    return addresses + keys


def _default(value: object, marks: Sequence[object]) -> str:
    if SPAN in marks:
        return f"`{span_text(float(str(value)))}`"
    if isinstance(value, Idle):
        return f"`{value}`"
    if isinstance(value, tuple) and value:
        return f"`{','.join(map(str, value))}`"
    return "unset" if value in (None, (), {}) else f"`{value}`"


TABLES: Mapping[Path, Callable[[], Mapping[str, list[str]]]] = {
    DOCS / "embedded-judge.md": _overall,
    FACTORS_PAGE: _factors,
    DEBATE_PAGE: _roles,
    DOCS / "faults.md": _faults,
    DOCS / "gate.md": _inputs,
    DOCS / "importing.md": _formats,
    SETTINGS_PAGE: _settings,
    METRICS_PAGE: _metrics,
    SIMULATORS_PAGE: _simulators,
    PROVIDERS_PAGE: _providers,
}
"""The tables of each page, by their marks."""
