from enum import StrEnum


class Metric(StrEnum):
    ACCEPTANCE_RATE = "acceptance_rate"
    AVERAGE_TURNS = "average_turns"
    CONSISTENT_ACTION = "consistent_action"
    CONSISTENT_RECOMMENDATION = "consistent_recommendation"
    CONVERSATION_TURNS = "conversation_turns"
    COORDINATION = "coordination"
    DECEPTIVE_ACCEPTANCES = "deceptive_acceptances"
    DISTINCT_1 = "distinct_1"
    DISTINCT_2 = "distinct_2"
    DIVERSE_RECOMMENDATION = "diverse_recommendation"
    HONEST_EXPLANATIONS = "honest_explanations"
    LIST_DISTANCE = "list_distance"
    NONEXISTENT_ITEMS = "nonexistent_items"
    PREFERENCE_COVERAGE = "preference_coverage"
    PREFERENCE_COVERAGE_INCREASE = "preference_coverage_increase"
    RECALL = "recall"
    SENSITIVITY = "sensitivity"
    SUCCESS_RATE = "success_rate"
    TURNS_BEFORE_RECOMMENDATION = "turns_before_recommendation"
    TURNS_TO_ACCEPTANCE = "turns_to_acceptance"

    def __str__(self) -> str:
        return str(self.value)
