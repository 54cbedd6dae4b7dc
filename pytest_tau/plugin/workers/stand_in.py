"""What xdist starts as a worker's Python: hands its standard streams to the fork server, and ends when the worker does.

``python -I -S stand_in.py NAME …``, see :mod:`.forking`. It runs once for each worker, so it imports what is built in.
"""

import os
import sys
from _socket import AF_UNIX, SCM_RIGHTS, SOCK_STREAM, SOL_SOCKET, socket
from array import array
from signal import SIG_DFL, SIG_IGN, SIGINT, SIGTERM, signal


def main(name: str) -> None:
    """Hand over input, output and errors to the server that listens under this name, and wait for the worker.

    Where no server answers, this becomes the Python that xdist would have started.
    """
    # What is sent to the whole group, the worker hears of itself.
    before = {number: signal(number, SIG_IGN) for number in (SIGINT, SIGTERM)}
    server = socket(AF_UNIX, SOCK_STREAM)
    try:
        server.connect(f"\0{name}")
        server.sendmsg([b"."], [(SOL_SOCKET, SCM_RIGHTS, array("i", (0, 1, 2)))])
        taken = server.recv(1)
    except OSError:
        taken = b""
    if not taken:
        for number, handler in before.items():
            if handler != SIG_IGN:  # else Python is to ignore it as well
                signal(number, SIG_DFL)
        os.execv(sys.executable, [sys.executable, *sys.argv[2:]])  # noqa: S606
    if taken == b"0":  # the run is over
        return
    os.close(0)
    os.close(1)  # else nobody would see that the worker has closed its own
    server.recv(1)  # nothing comes, but the end


if __name__ == "__main__":
    main(sys.argv[1])
