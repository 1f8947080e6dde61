"""The scales of the factors that rules may name: a name or a number that no score can have is told first."""

from collections.abc import Mapping
from functools import cache

from ...faults import load_faults
from ..configuration import Configuration
from ..exits import CommandError
from ..names import check_names, factors_here
from ..scores import ANSWERED, BELONGING, MEAN, OVERALL, OVERALL_SPAN, Run

Scales = Mapping[str, tuple[float, float]]
"""The lowest and the highest score of each factor, of `overall` and of `mean`."""


@cache
def own_scales() -> Scales:
    """Those of the factors of this version and of the operator."""
    own = {
        slug: (float(factor.scale.min), float(factor.scale.max)) for slug, factor in factors_here().items()
    }
    means = dict.fromkeys((OVERALL, MEAN), (0.0, OVERALL_SPAN))
    return {**own, **means, BELONGING: (0.0, 1.0), ANSWERED: (0.0, 1.0)}


def service_scales(url: str | None, key: str | None) -> Scales:
    """Those of the service at `url`, or of this version without one. A service that does not tell now is thought to
    have this version's: it refuses later what it does not know."""
    import httpx2

    if url is None:
        return own_scales()
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        answer = httpx2.get(f"{url.rstrip('/')}/factors", headers=headers)
        factors = answer.json()["factors"]
        return {**own_scales(), **{f["slug"]: (f["scale"]["min"], f["scale"]["max"]) for f in factors}}
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, KeyError, TypeError):
        return own_scales()


def run_scales(run: Run) -> Scales:
    """Those of the factors that a run has verdicts of, and of what it was counted in."""
    scales = {slug: (factor.low, factor.high) for slug, factor in run.factors.items()}
    return {**scales, BELONGING: (0.0, 1.0)} if run.belonging else scales


def check_rules(configuration: Configuration, scales: Scales) -> None:
    """Raise CommandError for an unknown factor, fault or metric in the configuration, or a number outside a factor's scale."""
    from ...metrics import METRICS

    gate, known, faults = configuration.gate, list(scales), list(load_faults())
    scored = [*factors_here().protocols, *known]
    check_names("factor or protocol", configuration.score.factors or (), scored, " score.factors names it.")
    check_names("fault", gate.regression.faults or (), faults, " gate.regression.faults names it.")
    for number, rule in enumerate(gate.rules):
        place = f"gate.rules.{number}"
        if rule.factor is None:
            check_names("fault", filter(None, [rule.fault]), faults, f" {place}.fault names it.")
            check_names("metric", filter(None, [rule.metric]), METRICS, f" {place}.metric names it.")
            continue
        check_names("factor", [rule.factor], known, f" {place}.factor names it.")
        low, high = scales[rule.factor]
        for entry, value in (("mean", rule.mean), ("at_or_above", rule.at_or_above)):
            if value is not None and not low <= value <= high:
                told = (
                    f"{place}.{entry}: {value:g} is outside the scale of {rule.factor}, {low:g} to {high:g}"
                )
                raise CommandError(told)
    widest = max(high - low for low, high in scales.values())
    if gate.regression.margin > widest:
        told = f"gate.regression.margin: {gate.regression.margin:g} is more than the widest scale, {widest:g} points"
        raise CommandError(told)
    named = {"factors": gate.regression.factors or (), "margins": gate.regression.margins}
    for entry, names in named.items():
        check_names("factor", names, known, f" gate.regression.{entry} names it.")
    for factor, margin in gate.regression.margins.items():
        low, high = scales[factor]
        if margin > high - low:
            told = f"gate.regression.margins.{factor}: {margin:g} is more than its whole scale"
            raise CommandError(f"{told}, {low:g} to {high:g}")
