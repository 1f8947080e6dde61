"""What an operator can set, from environment variables that begin with `CRS_EVAL_`.

A name that nothing reads is an error, not a silent default: a misspelt setting must not start."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from rapidfuzz.process import extractOne

from .domain.verdict import JudgeName
from .errors import ConfigurationError

PREFIX = "CRS_EVAL_"
# Kubernetes injects these for a Service called crs-eval.
_INJECTED = re.compile(
    r"CRS_EVAL_(SERVICE_(HOST|PORT(_\w+)?)|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)"
)
_PATTERNS = {"JUDGE_": "judge_by_factor", "ROLE_JUDGE_": "judge_by_role"}

Judge = Annotated[
    JudgeName, BeforeValidator(lambda value: JudgeName.parse(value) if isinstance(value, str) else value)
]
Names = Annotated[
    tuple[str, ...],
    BeforeValidator(
        lambda value: (
            tuple(part.strip() for part in value.split(",") if part.strip())
            if isinstance(value, str)
            else value
        )
    ),
]


class Settings(BaseModel):
    """One field a setting; `docs/settings.md` is generated from these descriptions."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True, allow_inf_nan=False)

    judge: Judge = Field(
        JudgeName("builtin"), description="The judge of requests that name none: `builtin` or `name:model`."
    )
    judge_by_factor: Mapping[str, Judge] = Field(
        {},
        description="`JUDGE_<SLUG>`: the judge of one factor, hyphens as underscores (`JUDGE_SEMANTIC_RELEVANCE`).",
    )
    judges: Names = Field(
        (),
        description="What callers may name, comma-separated; `openai:*` allows every model of one. Unset: `builtin` and the judges in other settings.",
    )
    catalogs: Path | None = Field(
        None, description="A folder of catalogues, one `<name>.jsonl` each, that requests can name."
    )
    list_cutoff: int = Field(
        10, ge=1, le=1000, description="How many items of each reply's list enter the session list."
    )
    request_timeout: float = Field(120, gt=0, le=3600, description="Seconds for a whole answer.")
    max_body: int = Field(10 * 1024 * 1024, ge=1024, description="Bytes of a request's body.")
    max_messages: int = Field(5000, ge=1, description="Messages of a log, history included.")
    max_depth: int = Field(32, ge=8, le=128, description="Levels of nesting in a request's JSON.")
    log_format: Literal["auto", "json", "console"] = Field(
        "auto",
        description="How the service logs: `console` for people, `json` for machines, `auto` by whether a terminal reads.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="The least severe entry that is logged."
    )

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Read the settings. Raises ConfigurationError that names every wrong variable."""
        values: dict[str, object] = {}
        wrong: list[str] = []
        for variable, text in sorted(environment.items()):
            if not variable.startswith(PREFIX) or _INJECTED.fullmatch(variable):
                continue
            name = variable.removeprefix(PREFIX)
            if name.lower() in cls.model_fields and name.lower() not in _PATTERNS.values():
                values[name.lower()] = text
            elif not cls._family(name, text, values):
                wrong.append(f"{variable}: no such setting{_nearest(name, cls)}")
        try:
            settings = cls.model_validate(values)
        except ValidationError as error:
            for fault in error.errors():
                place = "_".join(str(part) for part in fault["loc"])
                wrong.append(
                    f"{PREFIX}{place.replace('_by_factor', '').upper().replace('-', '_')}: {fault['msg']}"
                )
            raise ConfigurationError("; ".join(wrong)) from None
        if wrong:
            raise ConfigurationError("; ".join(wrong))
        return settings

    @classmethod
    def _family(cls, name: str, text: str, values: dict[str, object]) -> bool:
        """Read a setting whose name ends in a factor's."""
        for prefix, field in _PATTERNS.items():
            if field in cls.model_fields and name.startswith(prefix) and len(name) > len(prefix):
                members = values.setdefault(field, {})
                assert isinstance(members, dict)
                members[name.removeprefix(prefix).lower().replace("_", "-")] = text
                return True
        return False


def _nearest(name: str, settings: type[Settings]) -> str:
    known = [field.upper() for field in settings.model_fields if field not in _PATTERNS.values()]
    found = extractOne(name, known, score_cutoff=60)
    return f"; did you mean {PREFIX}{found[0]}?" if found else ""
