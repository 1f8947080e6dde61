"""The answer that README.md shows for its curl example: what the service really says."""

import json
import re
from pathlib import Path

from starlette.testclient import TestClient

from service.app import create_app
from service.settings import Settings
from service.telemetry.logging import configure_logging

README = Path(__file__).parent.parent / "README.md"
SHOWN = ("score", "confidence", "rationale")
_CALL = re.compile(
    r"curl -s localhost:8000(?P<path>\S+) .*?-d '(?P<body>\{.*?\})'$", re.DOTALL | re.MULTILINE
)
_ANSWER = re.compile(r"(<!-- answer: begin -->).*?(<!-- answer: end -->)")


def readme() -> str:
    """README.md with the answer to its own example in place."""
    text = README.read_text(encoding="utf-8")
    call = _CALL.search(text)
    assert call is not None, "README.md shows no call"
    configure_logging("console", "error")
    with TestClient(create_app(Settings())) as client:
        answer = client.post(call["path"], json=json.loads(call["body"])).json()
    shown = json.dumps({name: answer[name] for name in SHOWN}, ensure_ascii=False)
    return _ANSWER.sub(lambda place: f"{place[1]}`{shown}`{place[2]}", text)
