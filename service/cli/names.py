"""The names in a request, checked once against those that the service has, before anything is asked."""

import os
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from ..domain.nearest import nearest
from ..domain.plurals import listed
from ..domain.rubric import Factor
from ..errors import ConfigurationError
from ..factors import FactorCatalogue, load_factors
from .exits import CommandError, Exit
from .judges import judges_named
from .remote import Service, ServiceRefusal

_UNLISTED = frozenset({403, 404, 405})
"""A key may not be allowed to read the lists: then the requests themselves show what is unknown, as they do
where the service is away for a moment."""
_MOST_LISTED = 30


def check_names(kind: str, names: Iterable[str], known: Sequence[str], remedy: str = "") -> None:
    """Raise CommandError for the first unknown name, with the nearest known one, which may be a pattern such as `openai:*`."""
    for name in names:
        if not any(fnmatchcase(name, pattern) for pattern in known):
            near = nearest(name, known)
            hint = f" Did you mean {near!r}?" if near else ""
            known_here = listed(known, _MOST_LISTED) or "none"
            raise CommandError(f"There is no {kind} {name!r}.{hint} Available: {known_here}.{remedy}")


def factors_here() -> FactorCatalogue:
    """Return the factors of this version and of the CRS_EVAL_FACTORS folder. Raises CommandError for a wrong factor."""
    return _factors(os.environ.get("CRS_EVAL_FACTORS"))


def chosen_factors(names: Sequence[str] | None) -> list[Factor]:
    """Return the factors of these slugs and protocols in their order, all where none is named. Raises CommandError for a name that
    is neither."""
    here = factors_here()
    check_names("factor or protocol", names or (), [*here.protocols, *here])
    if not names:
        return list(here.values())
    found = {one.slug: one for name in names for one in here.values() if name in (one.slug, one.protocol)}
    return list(found.values())


@cache
def _factors(own: str | None) -> FactorCatalogue:
    try:
        return load_factors(own=Path(own) if own else None)
    except ConfigurationError as error:
        raise CommandError(str(error)) from None


async def check_request(remote: Service, body: Mapping[str, Any], catalogs: Mapping[str, str | None]) -> None:
    """Check the factors, judges, recommender and catalogues that a request names. `catalogs` holds the names of
    catalogues, each with the place that names it (None: an option). Raises CommandError."""
    factors = [*(body.get("factors") or ()), *(body.get("score") or ())]
    if factors and (read := await _read(remote, "/factors", "factors")):
        (infos,) = read
        protocols = dict.fromkeys(info["protocol"] for info in infos)
        check_names("factor or protocol", factors, [*protocols, *(info["slug"] for info in infos)])
    simulator = (body.get("simulator") or {}).get("judge")
    judges = [*judges_named(body), *judges_named(body.get("scoring") or {}), simulator]
    if choices := await _read(remote, "/choices", "judges", "recommenders", "catalogs"):
        check_names("judge", filter(None, judges), choices[0])
        check_names("recommender", filter(None, [body.get("crs")]), choices[1])
        for name, place in catalogs.items():
            remedy = " Or pass a file with --catalog FILE.jsonl, without --url."
            if place is not None:
                remedy = f" {place} names it. Pass its file with --catalog FILE.jsonl, or put the items into the log as `items`."
            check_names("catalogue", [name], choices[2], remedy)


async def _read(remote: Service, path: str, *fields: str) -> list[Any] | None:
    """Return the service's lists; None if they are unreadable. Raises CommandError for a refusal, and if it is not crs-eval."""
    answer = await remote.get(path)
    if isinstance(answer, ServiceRefusal):
        if answer.retryable or answer.status in _UNLISTED:
            return None
        raise CommandError(answer.detail, Exit.FAILED)
    if not all(isinstance(answer.get(field), list) for field in fields):
        raise CommandError(f"The server at --url is not crs-eval: GET {path} lists no {fields[0]}.")
    return [answer[field] for field in fields]
