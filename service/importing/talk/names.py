"""Names of conversations in any type that exports give them."""

import math
from collections.abc import Mapping
from typing import Any


def as_name(value: Any) -> str | None:
    """A name as text, 3 for 3.0, which a column of numbers with a gap holds for 3; what `{"$oid": ...}` holds. None for what
    is no name."""
    if isinstance(value, Mapping) and len(value) == 1 and "$oid" in value:
        value = value["$oid"]
    if isinstance(value, float):
        value = (int(value) if value.is_integer() else str(value)) if math.isfinite(value) else None
    return (
        str(value).strip() or None if isinstance(value, str | int) and not isinstance(value, bool) else None
    )
