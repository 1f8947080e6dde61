"""Numbers of entries in the registries, for tests that count answers."""

from service.debates.roles import default_roles, factors_of, load_roles
from service.domain.rubric import Protocol
from service.factors import load_factors
from service.judges.embedded.judge import ROWS

_FACTORS = load_factors()
_ROLES = default_roles(load_roles(_FACTORS))

CORE = [factor.slug for factor in _FACTORS.of(Protocol.CORE)]
"""The factors scored where a request names no factor."""
VERDICTS = f"{len(CORE)} verdicts"
"""The page's words for an answer about them."""
RULED_CORE = [slug for slug in CORE if slug in ROWS]
"""Those that the embedded judge has a rule for."""
ARGUED = factors_of(_ROLES)
"""The factors scored before a debate."""
ROLES = [role.slug for role in _ROLES]
"""The roles that debate where a request names none."""
