"""Tries a reader on one crafted input: what it raised that is no sentence of ours, or how long it took."""

from __future__ import annotations

import contextlib
import io
import random
import time
import warnings
from pathlib import Path

from pytest_tau.errors import TauError

from .readers import Read, clean

LONGEST = 1500  # characters of a sentence


def problem_with(read: Read, seed: str, folder: Path) -> tuple[str | None, float]:
    """What is wrong with what a reader makes of an input, None where nothing is; and its seconds of CPU."""
    folder.mkdir()
    said, began = io.StringIO(), time.process_time()
    try:
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stdout(said),
            contextlib.redirect_stderr(said),
        ):
            warnings.simplefilter("ignore")
            read(random.Random(seed), folder)
    except TauError as error:
        problem = _no_sentence(str(error))
    except SystemExit:
        problem = None
    except Exception as error:
        problem = f"{type(error).__name__}: {str(error)[:200]}"
    else:
        bad = {"a traceback": "Traceback (most", "an escape": "\x1b", "a command of CI": "\n::error"}
        problem = next((f"{what} was printed" for what, text in bad.items() if text in said.getvalue()), None)
    finally:
        clean(folder)
    return problem, time.process_time() - began


def _no_sentence(text: str) -> str | None:
    if "\n" in text or "\x1b" in text or "Traceback" in text:
        return f"more than a sentence: {text[:200]!r}"
    return f"a sentence of {len(text)} characters" if not 10 < len(text) < LONGEST else None
