"""crs-eval: evaluation of conversational recommender systems, as a library and as a service.

`crs_eval.score(log)` and the other functions of `crs_eval.library` are imported at their first use."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "2.0.0"

if TYPE_CHECKING:
    from . import aio as aio
    from .cli.studies.functions import study as study
    from .library import behavior_alignment as behavior_alignment
    from .library import close as close
    from .library import compare as compare
    from .library import debate as debate
    from .library import evaluate as evaluate
    from .library import exam as exam
    from .library import metrics as metrics
    from .library import score as score
    from .library import simulate as simulate
else:
    _LIBRARY = (
        "aio", "behavior_alignment", "close", "compare", "debate", "evaluate",
        "exam", "metrics", "score", "simulate", "study",
    )  # fmt: skip

    def __getattr__(name: str) -> Any:
        """Import the library when one of its functions is asked for."""
        if name not in _LIBRARY:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name == "aio":
            return import_module(".aio", __name__)
        home = ".cli.studies.functions" if name == "study" else ".library"
        return getattr(import_module(home, __name__), name)
