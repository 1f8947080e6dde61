from enum import StrEnum


class Statistic(StrEnum):
    COHEN_KAPPA = "cohen_kappa"
    COUPLING = "coupling"
    DEBATE_ALL_AGREE = "debate_all_agree"
    DEBATE_MAJOR_AGREE = "debate_major_agree"
    DEBATE_SPREAD = "debate_spread"
    KENDALL_TAU_B = "kendall_tau_b"
    KRIPPENDORFF_ALPHA = "krippendorff_alpha"
    LENGTH_CORRELATION = "length_correlation"
    MEAN_COUPLING = "mean_coupling"
    MEAN_SCORE = "mean_score"
    PEARSON = "pearson"
    PERCENT_AGREEMENT = "percent_agreement"
    PREFERENCE_KAPPA = "preference_kappa"
    PREFERENCE_SHARE = "preference_share"
    QUADRATIC_WEIGHTED_KAPPA = "quadratic_weighted_kappa"
    RANDOLPH_KAPPA = "randolph_kappa"
    REPEAT_SPREAD = "repeat_spread"
    SPEARMAN = "spearman"

    def __str__(self) -> str:
        return str(self.value)
