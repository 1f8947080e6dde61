"""A simulated user talks to a recommender that is a Python function; the session is then evaluated.

python examples/evaluate_recommender.py [URL]"""

import sys
from typing import Any

from crs_eval_client import CrsEval, ItemLayout, ShownItem, parts

FILMS = ["Paper Lanterns (2009)", "The Glass Orchard (2014)", "A Kite for Marta (2017)"]


def recommend(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """A recommender that shows one film after the other."""
    asked = sum(message["role"] == "user" for message in messages)
    film = FILMS[(asked - 1) % len(FILMS)]
    cards = parts.items([ShownItem(title=film)], ItemLayout.CAROUSEL)
    return {"content": f"You could watch {film}, a slow drama with fine pictures.", "parts": [cards]}


def main(url: str) -> None:
    """Run a session, score and debate it, then score several logs at once."""
    user = {"persona": "curiosity", "age_group": "adults", "attributes": ["drama", "slow"]}
    with CrsEval(url) as client:
        session = client.converse(
            {"type": "scripted", "seed": 7}, recommend, {"domain": "movie", "user": user}
        )
        print(f"session: {len(session.messages)} messages, {session.outcome}")
        answer = client.evaluate(session.log, debate=True)
        for verdict in answer.verdicts:
            print(f"{verdict.factor:26} {verdict.status:15} {verdict.score}")
        print("mean", answer.summaries[0].mean, "debate", answer.debate.overall if answer.debate else None)
        for one in client.score_many([session.log] * 3, progress=lambda done: print(f"{done} done")):
            print(one.index, one.answer.summaries[0].mean if one.answer else one.error)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000")
