"""The key of a conversation on a sheet: what its labels will say of it, in a form that nobody reads by chance.

Annotators are to be blind to the system and to the judge. The key is no secret: who decodes it knows both."""

import base64
import json
from collections.abc import Mapping
from typing import Any

from ..inputs import Json


def item_key(about: Mapping[str, Any]) -> str:
    """Return what is known of a conversation as URL-safe base64 of JSON, without what is None."""
    known = {name: value for name, value in about.items() if value is not None}
    text = json.dumps(known, ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def key_content(key: str) -> Json | None:
    """Return what a key says; None for a text that is no key."""
    try:
        padded = key + "=" * (-len(key) % 4)
        found = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("conversation"), str) else None
