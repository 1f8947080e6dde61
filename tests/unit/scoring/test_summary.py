from service.domain.rubric import Protocol
from service.domain.verdict import JudgeName, Scored, Verdict
from service.factors import load_factors
from service.scoring.score import comparison_key
from service.scoring.summary import summarise
from tests import factories
from tests.factories import failed, gap

JUDGE = JudgeName("openai", "m-1")


def scored(factor: str, score: float, judge: JudgeName = JUDGE, revision: str = "a" * 12) -> Scored:
    return factories.scored(factor, score, judge, evaluator_revision=revision)


def test_means_are_over_scored_factors_alone() -> None:
    verdicts: list[Verdict] = [
        scored("coherence", 3),
        failed("recoverability"),
        gap("novelty"),
        scored("diversity", 1),
    ]
    (summary,) = summarise(verdicts, load_factors())
    assert summary.protocol is Protocol.CORE
    assert (summary.mean, summary.total) == (2, 4)
    assert (summary.assessed, summary.not_assessable, summary.failed) == (2, 1, 1)
    assert summary.dimensions == {"dialogue-actions": 3, "recommended-items": 1}


def test_nothing_scored_is_no_number() -> None:
    (summary,) = summarise([failed("coherence"), gap("novelty")], load_factors())
    assert summary.mean is None
    assert summary.total is None
    assert summary.dimensions == {"dialogue-actions": None, "recommended-items": None}


def test_protocols_are_summed_up_apart() -> None:
    verdicts = [scored("coherence", 4), scored("concept-manner", 5)]
    assert [(s.protocol.value, s.scale.max, s.mean) for s in summarise(verdicts, load_factors())] == [
        ("core", 4, 4),
        ("concept", 5, 5),
    ]


def test_the_key_is_of_revisions_judges_and_options_and_of_nothing_else() -> None:
    options = {"samples": 1, "catalog": None}
    key = comparison_key([scored("coherence", 1), scored("diversity", 2)], options)
    assert key == comparison_key([scored("diversity", 4), scored("coherence", 0)], options)
    assert len(key) == 16
    others = [
        comparison_key([scored("coherence", 1)], options),
        comparison_key([scored("coherence", 1), scored("diversity", 2, JudgeName("openai", "m-2"))], options),
        comparison_key([scored("coherence", 1), scored("diversity", 2, revision="b" * 12)], options),
        comparison_key([scored("coherence", 1), scored("diversity", 2)], {**options, "samples": 2}),
        comparison_key([scored("coherence", 1), scored("diversity", 2)], {**options, "catalog": "x"}),
    ]
    assert len({key, *others}) == 6
