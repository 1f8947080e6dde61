from enum import StrEnum


class Over(StrEnum):
    POOLED = "pooled"
    SYSTEM = "system"
    SYSTEMS = "systems"
    SYSTEM_MEAN = "system_mean"
    WITHIN_SYSTEM = "within_system"

    def __str__(self) -> str:
        return str(self.value)
