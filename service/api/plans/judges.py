"""Judges of a deployment: one for each factor, and those that callers may name."""

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

    def at_hand(self, text: str, pointer: str) -> JudgeName:
        """The same, where its upstream is configured too. Raises InvalidRequest at the pointer."""
        name = self.named(text, pointer)
        try:
            self.get(name)
        except InvalidRequest as error:
            unknown = error.errors[0]
            raise InvalidRequest.at(pointer, unknown.detail, unknown.fix) from None
        return name

    def of(self, factor: Factor) -> JudgeName:
        """The operator's judge of a factor."""
        return self._by_factor.get(factor.slug, self.default)

    def routes(self, factors: Iterable[Factor], requested: JudgeName | None) -> dict[str, JudgeName]:
        """The judge of each factor: the one requested, else the operator's."""
        return {factor.slug: requested or self.of(factor) for factor in factors}

    def get(self, name: JudgeName) -> Judge:
        """The judge itself."""
        if name not in self._built:
            self._built[name] = self._build(name)
        return self._built[name]
