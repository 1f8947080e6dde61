"""The names that a request may use."""

from ..importing.formats import AUTO, format_names
from ..text import language
from .deployment import Deployment
from .wire.choices import Choices


def choices_of(deployment: Deployment) -> Choices:
    """Return what callers of a deployment may name."""
    return Choices(
        default_judge=str(deployment.judges.default),
        judges=list(deployment.judges.allowed),
        roles=list(deployment.roles),
        recommenders=sorted(deployment.recommenders),
        catalogs=sorted(deployment.catalogues),
        languages=list(language.READ),
        formats=[AUTO, *format_names()],
    )
