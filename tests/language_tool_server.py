"""A server on loopback that speaks LanguageTool's HTTP API, and answers as it is told to."""

import json
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs

from tests.loopback_server import LoopbackServer

#: Words that it finds fault with: category of the rule, what it would rather read.
FAULTS = {
    "wondreful": ("TYPOS", "wonderful"),
    "Orchrad": ("TYPOS", "Orchard"),
    "makes me laughing": ("GRAMMAR", "makes me laugh"),
    "  ": ("TYPOGRAPHY", " "),
}


class LanguageToolServer(LoopbackServer):
    """Finds the `FAULTS` in what it is sent; `status` and `body` replace its answer, `delay` holds it back."""

    def __init__(self) -> None:
        self.status = 200
        self.body: bytes | None = None
        self.delay = 0.0
        self.asked: list[dict[str, list[str]]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
                outer.asked.append({"path": [self.path], **parse_qs(sent)})
                time.sleep(outer.delay)
                body = outer.body if outer.body is not None else _answer(parse_qs(sent)["text"][0])
                self.send_response(outer.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                with suppress(ConnectionError):  # who asked may have given up
                    self.wfile.write(body)

            def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the base class's name
                pass

        super().__init__(Handler)


def _answer(text: str) -> bytes:
    matches: list[dict[str, Any]] = []
    for wrong, (category, right) in FAULTS.items():
        place = text.find(wrong)
        while place >= 0:
            matches.append(
                {
                    "message": "as told",
                    "offset": len(text[:place].encode("utf-16-le")) // 2,
                    "length": len(wrong.encode("utf-16-le")) // 2,
                    "replacements": [{"value": right}],
                    "rule": {
                        "id": "TOLD",
                        "issueType": "told",
                        "category": {"id": category, "name": category},
                    },
                }
            )
            place = text.find(wrong, place + 1)
    software = {"name": "LanguageTool", "version": "6.6", "buildDate": "2026-01-02", "apiVersion": 1}
    return json.dumps({"software": software, "matches": matches}).encode()
