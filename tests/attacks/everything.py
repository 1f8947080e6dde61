"""All attempts that were ever written, in the order in which they were."""

from .attempts import ATTEMPTS
from .held_out_fifth import FIFTH
from .held_out_first import FIRST
from .held_out_fourth import FOURTH
from .held_out_second import SECOND
from .held_out_seventh import SEVENTH
from .held_out_sixth import SIXTH
from .held_out_third import THIRD
from .written_apart import APART

SUITE = [*ATTEMPTS, *FIRST, *SECOND, *THIRD, *FOURTH]
SOFT = [*FIFTH, *SIXTH, *SEVENTH]
"""Praise, excuses and orders that look like none."""

LATER = [*SOFT, *(attempt for attempts in APART.values() for attempt in attempts)]
EVERYTHING = [*SUITE, *LATER]
