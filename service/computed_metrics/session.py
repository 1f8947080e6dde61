"""Facts of a whole log beside its strategies: when it first recommends, and whether it succeeds (Behavior Alignment, table 1)."""

from ..catalogue.catalogue import Catalogue
from ..domain.conversation import ConversationLog
from .item_index import Matching
from .log_index import CorpusIndex


def session(log: ConversationLog, catalogue: Catalogue | None = None) -> tuple[int | None, bool | None]:
    """Turns before the first that recommends, and success; None where the log cannot tell. It recommends where a reply has a list; in a log without lists, where a reply
    names an item of the log's or of `catalogue` that the user had not named. It succeeds where the user accepted,
    or, if the log has no outcome, where a wanted item was shown."""
    index = CorpusIndex(catalogue, Matching.STRICT).log_index(log)
    known = index.item_index.stocked and bool(log.turns)
    named = [[title for title in titles if title.exists] for titles in index.recommended] if known else []
    first = next((turn for turn, shown in enumerate(index.lists if log.has_lists else named) if shown), None)
    if log.outcome is not None:
        return first, log.outcome.accepted
    if log.ground_truth is None or not (known or any(keys is not None for keys in index.lists)):
        return first, None
    targets = index.targets
    in_text = targets is not None and any(map(targets.among, named))
    return first, bool(index.hits()) if log.has_lists else in_text
