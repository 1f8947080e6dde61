from enum import StrEnum


class Unit(StrEnum):
    POINTS = "points"
    RATIO = "ratio"
    SHARE = "share"
    TURNS = "turns"

    def __str__(self) -> str:
        return str(self.value)
