"""The patterns, stems and weights of `steering.toml`."""

from ..text.patterns import Lexicon

LEXICON = Lexicon(__package__, "steering")
