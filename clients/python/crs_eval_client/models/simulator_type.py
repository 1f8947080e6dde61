from enum import StrEnum


class SimulatorType(StrEnum):
    PARAPHRASE = "paraphrase"
    PERSONA = "persona"
    SCRIPTED = "scripted"
    TARGET = "target"
    TARGET_FREE = "target-free"

    def __str__(self) -> str:
        return str(self.value)
