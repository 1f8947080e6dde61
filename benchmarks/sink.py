"""A receiver of telemetry that reads what it is sent and forgets it, in its own process.

python -m benchmarks.sink --port 4318"""

import argparse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Sink(BaseHTTPRequestHandler):
    """Says yes to everything."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Alive."""
        self._done()

    def do_POST(self) -> None:
        """Taken."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self._done()

    def log_message(self, *_: object) -> None:
        """Nothing."""

    def _done(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()


def main() -> None:
    """Serve until stopped."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=4318)
    ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Sink).serve_forever()


if __name__ == "__main__":
    main()
