from enum import StrEnum


class FigureUnit(StrEnum):
    COEFFICIENT = "coefficient"
    POINTS = "points"
    SHARE = "share"

    def __str__(self) -> str:
        return str(self.value)
