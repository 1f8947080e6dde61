from enum import StrEnum


class Grouping(StrEnum):
    ALL = "all"
    DIMENSION = "dimension"
    SEPARATE = "separate"

    def __str__(self) -> str:
        return str(self.value)
