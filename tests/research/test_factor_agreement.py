"""Agreement of single factors with people's labels, by hand."""

from research.dead_zones import agreement


def test_agreement_is_a_correlation_and_leaves_out_what_lacks_a_label() -> None:
    labels = ("understanding", "task_completion", "explanation", "preference_elicitation")
    factors = ("coherence", "effectiveness", "explainability", "proactiveness")
    rows = [
        {"system": system, "scores": dict.fromkeys(factors, score), "people": dict.fromkeys(labels, label)}
        for system, score, label in (("a", 1.0, 0), ("a", 2.0, 1), ("b", 3.0, 2), ("b", 4.0, None))
    ]
    found = agreement(rows)["coherence"]
    assert (found["label"], found["n"], found["r"]) == ("understanding", 3, 1.0)
