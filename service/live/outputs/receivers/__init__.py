"""Programs that take alarms in a form of their own: a TOML file for each, named as `CRS_EVAL_LIVE_ALERTS` calls it."""

import html
import json
import tomllib
from collections.abc import Mapping
from datetime import datetime, timedelta
from importlib import resources
from string import Template
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from ....errors import ConfigurationError

WEEK: Final = timedelta(days=7)
"""The time after which an alarm that has not recovered ends: the test begins again each week."""


class AlertForm(BaseModel):
    """The form that a program takes. `payload` maps kinds of events to JSON whose texts hold `$name`, for a field of the event; other kinds
    are not sent. `$subject` is the fault or factor, `$until` the end. With `entities`, `&`, `<` and `>` in values are escaped."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    payload: Mapping[str, Any]
    entities: bool = False

    def fill(self, kind: str, event: Mapping[str, Any]) -> bytes:
        """Return the body for an event of drift."""
        values = {name: "" if value is None else str(value) for name, value in event.items()}
        values["shown"] = ", ".join(event["shown"])
        values["subject"] = event.get("fault") or event["factor"]
        values["until"] = (datetime.fromisoformat(event["at"]) + WEEK).isoformat()
        if self.entities:
            values = {name: html.escape(value, quote=False) for name, value in values.items()}
        return json.dumps(_filled(self.payload[kind], values)).encode()


def alert_form(name: str) -> AlertForm:
    """The form of a program. Raises ConfigurationError for an unknown name."""
    files = {one.name: one for one in resources.files(__package__).iterdir()}
    if f"{name}.toml" not in files:
        known = ", ".join(sorted(one.removesuffix(".toml") for one in files if one.endswith(".toml")))
        raise ConfigurationError(f"CRS_EVAL_LIVE_ALERTS: {name!r} is unknown; choose from {known}")
    return AlertForm.model_validate(tomllib.loads(files[f"{name}.toml"].read_text("utf-8")))


def _filled(part: Any, values: Mapping[str, str]) -> Any:
    if isinstance(part, str):
        return Template(part).substitute(values)
    if isinstance(part, list):
        return [_filled(one, values) for one in part]
    return {name: _filled(one, values) for name, one in part.items()}
