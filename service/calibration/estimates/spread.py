"""Variation of an estimate from sample to sample, for each way in which labels are drawn.

All three are Student's t over rectified labels and two pseudo-labels of weight 1/2, one at each end of people's scale.
Without these, 20 ratings of which 80 % are at one end would be covered .88 of the time in place of .95."""

from dataclasses import dataclass

import numpy as np

from .sample import Clusters, Draw, Ends, Floats, Sample, ratio


@dataclass(frozen=True, slots=True)
class Spread:
    """An estimate with its sampling variance. `mean` and `raw` rest on the labels alone, `centre` and `variance`, which
    an interval is made of, on the pseudo-labels too."""

    mean: Floats
    centre: Floats
    variance: Floats
    raw: Floats
    degrees: Floats

    def minus(self, other: "Spread") -> "Spread":
        """The difference of two independent estimates (Welch)."""
        total = self.variance + other.variance
        parts = self.variance**2 / self.degrees + other.variance**2 / other.degrees
        degrees = ratio(total**2, parts, self.degrees + other.degrees)
        return Spread(
            self.mean - other.mean,
            self.centre - other.centre,
            total,
            self.raw + other.raw,
            degrees,
        )


@dataclass(frozen=True, slots=True)
class Rectified:
    """Labels with what the judge says taken off. `labels` has the estimate as its (weighted) mean; `rest_weight` is how much
    each point of the judge's mean over the rest moves the estimate; `varying` is what varies from conversation to
    conversation in the whole population. `these` says that the mean is of exactly these conversations. `fitted` is what
    fitting the judge's weight has taken off each label's deviation; standard errors put it back."""

    labels: Floats
    rest_weight: Floats
    varying: Floats
    these: bool
    fitted: Floats | float = 0.0


def spread_of(rectified: Rectified, sample: Sample, ends: Ends) -> Spread:
    """Return the spread by the sample's own design."""
    if sample.clusters is not None:
        return _clustered(rectified, sample, sample.clusters, ends)
    if sample.draw is not None:
        return _drawn(rectified, sample, sample.draw, ends)
    return _simple(rectified, sample, ends)


def _simple(rectified: Rectified, sample: Sample, ends: Ends) -> Spread:
    """A simple random sample of n labels beside m other conversations."""
    n, labels = sample.n, rectified.labels
    # Of a mean over exactly these conversations, only the part without labels is uncertain.
    open_share = sample.rest / sample.judged if rectified.these else 1.0
    more = rectified.rest_weight**2 * sample.rest_variance / max(sample.rest, 1) * (not rectified.these)
    mean = labels.mean(-1)
    centre = (labels.sum(-1) + ends.middle) / (n + 1)
    squares = ((labels - centre[..., None]) ** 2).sum(-1) + _pseudo(centre, ends)
    off = labels - mean[..., None] + rectified.fitted
    return Spread(
        mean,
        mean + open_share * (centre - mean),
        open_share * squares / n / (n + 1) + more,
        open_share * (off**2).sum(-1) / (n - 1) / n + more,
        np.full_like(mean, n - 1),
    )


def _drawn(rectified: Rectified, sample: Sample, draw: Draw, ends: Ends) -> Spread:
    """Known probabilities (Hajek's estimator): variance by stratum, none where all of a stratum were drawn."""
    n, labels = sample.n, rectified.labels
    member = np.equal.outer(draw.stratum, np.arange(draw.strata)).astype(float)
    count = member.sum(0)
    part = draw.weight @ member / draw.weight.sum()
    # Within a stratum: each label's weight as a multiple of the mean, and the share of conversations without labels.
    relative = draw.weight / (draw.weight @ member / count)[draw.stratum]
    open_share = (1 - draw.probability) @ member / count
    pseudo = _pseudo_labels(part / count, count)
    means = (labels * relative) @ member / count
    centres = (means * count + pseudo * ends.middle) / (count + pseudo)
    off = relative**2 * (1 - draw.probability) * (labels - centres[..., draw.stratum]) ** 2
    squares = off @ member + open_share * pseudo * _pseudo(centres, ends)
    by_stratum = part**2 * squares / (count + pseudo) / np.maximum(count + pseudo - 1, 1)
    raw_off = (
        relative**2 * (1 - draw.probability) * (labels - means[..., draw.stratum] + rectified.fitted) ** 2
    )
    raw = (part**2 * (raw_off @ member) / count / np.maximum(count - 1, 1)).sum(-1)
    mean = (part * means).sum(-1)
    shift = part * (centres - means) * (open_share if rectified.these else 1)
    whole = 0 * mean if rectified.these else _population(rectified.varying, draw, ends) / sample.judged
    variance = by_stratum.sum(-1) + whole
    parts = (by_stratum**2 / np.maximum(count - 1, 1)).sum(-1) + whole**2 / (n - 1)
    degrees = ratio(variance**2, parts, max(n - draw.strata, 1))
    return Spread(mean, mean + shift.sum(-1), variance, raw + whole, np.maximum(degrees, 1.0))


def _clustered(rectified: Rectified, sample: Sample, clusters: Clusters, ends: Ends) -> Spread:
    """Conversations that hang together: whole clusters vary, each with its labelled and its other conversations."""
    n, size = sample.n, clusters.size
    weight = np.ones(n) if sample.draw is None else sample.draw.weight * n / sample.draw.weight.sum()
    labels = rectified.labels
    mean = (weight * labels).sum(-1) / n
    pseudo = n / size
    centre = (mean * n + pseudo * ends.middle) / (n + pseudo)
    number = int(max(clusters.labelled.max(), clusters.rest.max(initial=0))) + 1
    totals = np.bincount(clusters.labelled, weight * (labels - centre), number) / n
    squares = pseudo**2 * _pseudo(centre, ends) / n**2
    rest = np.zeros(number)
    if not rectified.these and sample.rest:
        each = (clusters.scores - sample.rest_mean) * rectified.rest_weight / sample.rest
        rest += np.bincount(clusters.rest, each, number)
    variance = ((totals / np.sqrt(1 + 1 / size) + rest) ** 2).sum() + squares / (1 + 1 / size)
    raw_totals = np.bincount(clusters.labelled, weight * (labels - mean + rectified.fitted), number) / n
    raw = ((raw_totals + rest) ** 2).sum() * size / max(size - 1, 1)
    open_share = sample.rest / sample.judged if rectified.these else 1.0
    return Spread(
        mean,
        mean + open_share * (centre - mean),
        open_share * variance,
        open_share * raw,
        np.asarray(float(max(size - 1, 1))),
    )


def _population(values: Floats, draw: Draw, ends: Ends) -> Floats:
    """The variance of single conversations, from a weighted sample and the pseudo-labels."""
    n = values.shape[-1]
    relative = draw.weight * n / draw.weight.sum()
    mean = (relative * values).sum(-1, keepdims=True) / n
    squares = (relative * (values - mean) ** 2).sum(-1)
    # Half a point of the scale at each end, as in the means: labels that do not vary leave the variance open.
    return np.asarray((squares + ends.span**2 / 4) / n)


def _pseudo_labels(weight: Floats, count: Floats) -> Floats:
    """The pseudo-labels of each stratum, of `count` labels that stand for the share `weight` each.

    They are 1 in all under equal weights. Else most are where labels weigh most, so that they add as much variance as one
    pseudo-label of the largest weight: ratings that are rare, and in a stratum with few labels, are easily missed."""
    share = (weight / weight.max()) ** 2
    return np.asarray(share * count / (share**2 * count).sum())


def _pseudo(centre: Floats, ends: Ends) -> Floats:
    """The squared deviations of two half labels."""
    return np.asarray(((ends.low - centre) ** 2 + (ends.high - centre) ** 2) / 2)
