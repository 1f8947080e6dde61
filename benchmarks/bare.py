"""The least that a FastAPI service is: one route that says it is ready.

python -m benchmarks.bare --port 9000"""

import argparse

import uvicorn
from fastapi import FastAPI

app = FastAPI()


@app.get("/readyz")
async def ready() -> dict[str, str]:
    """Ready."""
    return {"status": "ok"}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=9000)
    uvicorn.run(app, port=parser.parse_args().port, log_level="warning", access_log=False)
