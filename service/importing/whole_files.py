"""Files of one conversation each: what was read of a file, as one log."""

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

from .entries import NAMELESS, Json
from .imported import Imported
from .talk.utterances import merged_items

_JOINED = ("messages", "items", "metadata", "id")


def as_one(name: str, made: Sequence[Imported]) -> Imported:
    """The logs of a file as one, in their order; its labels say the messages' places in it. Other fields are those of the first
    log that has them."""
    id_ = made[0].log.get("id") if len(made) == 1 or name in NAMELESS else PurePath(name).stem
    log: Json = {} if id_ is None else {"id": id_}
    labels: list[Json] = []
    messages: list[Json] = []
    for one in made:
        for row in one.labels:
            moved: Json = {key: row[key] + len(messages) for key in ("turn", "message") if key in row}
            labels.append({**row, **moved, "conversation": str(id_ or name)})
        messages.extend(one.log["messages"])
        for field, value in one.log.items():
            if field not in _JOINED:
                log.setdefault(field, value)
    log["messages"] = messages
    items = merged_items(item for one in made for item in one.log.get("items", ()))
    metadata = {key: value for one in reversed(made) for key, value in one.log.get("metadata", {}).items()}
    log |= {key: value for key, value in (("items", items), ("metadata", metadata)) if value}
    return Imported(name, log, labels, sum((Counter(one.left) for one in made), Counter()))
