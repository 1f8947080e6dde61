"""`python -m service`: the service, from a checkout or as `crs-eval serve`."""

import argparse
import gc
import os
import signal
import sys
import threading


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line and serve. Returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="crs-eval", description="Evaluation of conversational recommender systems as a service."
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument(
        "--port", type=int, default=8000, help="port to listen on; 0 takes a free one (default: %(default)s)"
    )
    parser.add_argument(
        "--until-input-closes", action="store_true", help="stop as soon as standard input is closed"
    )
    options = parser.parse_args(arguments)
    if options.until_input_closes:
        threading.Thread(target=_stop_with_input, daemon=True).start()
    # Objects made at the start are kept: collecting garbage meanwhile would take a sixth of its time.
    gc.disable()
    from .main import serve

    return serve(options.host, options.port)


def _stop_with_input() -> None:
    # Past Python's own buffer: its lock, held here, would break the way out of a service that cannot start.
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
