"""The least that a FastAPI service could do in our place: validate the body of /score, return a stored
answer. No logs, no metrics, no ids.

    python -m benchmarks.echo --port 9000 (CRS_ECHO_ANSWER names a file with the answer)"""

import argparse
import os
from pathlib import Path

import uvicorn
from fastapi import FastAPI, Request, Response

from service.usecases.wire.score import ScoreRequest


def create_app(answer: bytes) -> FastAPI:
    """The app that always gives `answer`."""
    app = FastAPI()

    @app.post("/score")
    async def echo(request: Request) -> Response:
        ScoreRequest.model_validate_json(await request.body())  # faster than as a parameter
        return Response(answer, media_type="application/json")

    @app.get("/healthz")
    async def alive() -> dict[str, str]:
        return {"status": "ok"}

    return app


def main() -> None:
    """Serve until stopped."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=9000)
    app = create_app(Path(os.environ["CRS_ECHO_ANSWER"]).read_bytes())
    uvicorn.run(app, port=parser.parse_args().port, log_level="warning", access_log=False)


if __name__ == "__main__":
    main()
