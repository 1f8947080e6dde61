"""Ways of judging that a caller chooses. The command line reads them before anything heavy is imported."""

from enum import StrEnum


class Variant(StrEnum):
    """The reading of a factor: ours, or the one of the paper that defines it."""

    CRS_EVAL = "crs-eval"
    PUBLISHED = "published"


class Judging(StrEnum):
    """The form of a model's answer: a level, a list for one factor's ladder, or a list of faults for all factors."""

    RATING = "rating"
    ITEMISED = "itemised"
    FAULTS = "faults"
