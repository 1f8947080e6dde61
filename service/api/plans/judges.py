"""Which judge answers which factor, and which of them callers may name."""

from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase

from ...domain.rubric import Factor
from ...domain.verdict import JudgeName
from ...errors import InvalidRequest
from ...judges.inquiry import Judge


class Judges:
    """The judges of this deployment. `allowed` holds names or patterns (`openai:*`); `build` makes
    a judge at its first use and is asked once for each name."""

    def __init__(
        self,
        default: JudgeName,
        by_factor: Mapping[str, JudgeName],
        allowed: Iterable[str],
        build: Callable[[JudgeName], Judge],
    ) -> None:
        self.default = default
        self._by_factor = dict(by_factor)
        self.allowed = tuple(dict.fromkeys(allowed))
        self._build = build
        self._built: dict[JudgeName, Judge] = {}

    def named(self, text: str, pointer: str) -> JudgeName:
        """The judge that a caller names. Raises InvalidRequest where it is not allowed."""
        fix = f"name one of: {', '.join(self.allowed)}"
        try:
            name = JudgeName.parse(text)
        except ValueError as error:
            raise InvalidRequest.at(pointer, str(error), fix) from None
        if not any(fnmatchcase(text, pattern) for pattern in self.allowed):
            raise InvalidRequest.at(pointer, "no such judge here, or not for callers to name", fix)
        return name

    def routes(self, factors: Iterable[Factor], requested: JudgeName | None) -> dict[str, JudgeName]:
        """The judge of each factor: the one requested, else the operator's for that factor."""
        return {f.slug: requested or self._by_factor.get(f.slug, self.default) for f in factors}

    def get(self, name: JudgeName) -> Judge:
        """The judge itself."""
        if name not in self._built:
            self._built[name] = self._build(name)
        return self._built[name]
