"""Write what ppi-python 0.2.3 says of a few small samples: tests/golden/ppi_means.json.

Run with an interpreter that has ppi-python and none of this project (674 MB with what it needs):
`python research/golden_ppi.py > tests/golden/ppi_means.json`."""

import json
from importlib.metadata import version

import numpy as np


def main() -> None:
    """Print the samples and the figures."""
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    generator = np.random.default_rng(34)
    cases = []
    for labels, others in ((5, 7), (20, 200), (60, 184), (120, 30)):
        people = generator.integers(0, 5, labels).astype(float)
        judge = np.round(0.5 * people + generator.uniform(0, 2, labels), 3)
        rest = np.round(0.5 * generator.integers(0, 5, others) + generator.uniform(0, 2, others), 3)
        for weight in (0.0, 0.37, 1.0):
            for level in (0.9, 0.95):
                low, high = ppi_mean_ci(people, judge, rest, alpha=1 - level, lam=weight)
                cases.append(
                    {
                        "people": people.tolist(),
                        "judge": judge.tolist(),
                        "rest": rest.tolist(),
                        "weight": weight,
                        "level": level,
                        "mean": float(np.squeeze(ppi_mean_pointestimate(people, judge, rest, lam=weight))),
                        "low": float(np.squeeze(low)),
                        "high": float(np.squeeze(high)),
                    }
                )
    print(json.dumps({"made_by": f"ppi-python {version('ppi-python')}", "cases": cases}))


if __name__ == "__main__":
    main()
