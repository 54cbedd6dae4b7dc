"""An HTTP server on loopback that nobody can fill up: so many connections at once, and none that stays silent."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# Connections that are answered at once; seconds that one may take to say what it wants.
MOST = 256
PATIENCE = 10.0
_POLL = 0.5


class LoopbackServer(ThreadingHTTPServer):
    """Answers each request in a thread, as long as there is a place; else hangs up, and the client tries again.

    Args:
        port: where to listen; 0 for any free port.
        handler: what answers; its ``timeout`` is :data:`PATIENCE`.

    Raises:
        OSError: the port is taken.
        OverflowError: there is no such port.
    """

    request_queue_size = 128
    daemon_threads = True
    block_on_close = False

    def __init__(self, port: int, handler: type[BaseHTTPRequestHandler]) -> None:
        handler.timeout = PATIENCE
        self._places = threading.BoundedSemaphore(MOST)
        super().__init__(("127.0.0.1", port), handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread, or hang up."""
        if self._places.acquire(timeout=_POLL):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and give the place back."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a client that hung up is its own business."""
