"""``pytest-tau view``: the report of a run in the browser, while the run is played."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "show a run's report in the browser while the run is going on"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "results",
        nargs="?",
        metavar="RUN",
        type=Path,
        default=Path(".tau"),
        help="a results folder (default: .tau), one run's folder, or a journal",
    )
    parser.add_argument("--port", type=int, default=8765, help="port to listen on, on loopback; 0 means any free port")


def run(arguments: argparse.Namespace) -> int:
    """Serve until it is interrupted; returns 0."""
    from ..printable import printable
    from ..reports.live import serve

    server = serve(arguments.results, arguments.port)
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    awaited = "" if arguments.results.exists() else ", which waits for it: there is no such file or folder yet"
    print(printable(f"{arguments.results} at {address}{awaited} (Ctrl-C ends it)"), flush=True)  # noqa: T201
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        return 0
    finally:
        server.server_close()
    return 0
