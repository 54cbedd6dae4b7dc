"""Counting what a pattern of the agent's matches: any regular expression counts, and none may stop the run.

Python cannot interrupt a search, and some patterns take for ever. One that may is searched for in a process of its own,
which can be stopped; the others, nearly all, right here. The counts are the same.
"""

import json
import re
import subprocess
import sys
from collections.abc import Sequence

SECONDS = 10.0
# A repeated group, or several open-ended repetitions: without any of them the time grows with the text and no faster.
_MAY_TAKE_LONG = re.compile(r"\)\s*[*+{]|(?:[*+}].*){3}", re.DOTALL)
_SEARCH = """
import json, re, sys
pattern, flags, texts = json.load(sys.stdin)
wanted = re.compile(pattern, flags)
json.dump([len(wanted.findall(text)) for text in texts], sys.stdout)
"""


def matches(pattern: str, texts: Sequence[str], *, ignore_case: bool) -> list[int]:
    """How often a pattern matches in each text; one that is no regular expression is searched for as it stands.

    Raises:
        ValueError: the search took too long.
    """
    flags = re.IGNORECASE if ignore_case else re.NOFLAG
    try:
        wanted = re.compile(pattern, flags)
    except re.error:
        pattern = re.escape(pattern)
        wanted = re.compile(pattern, flags)
    if not _MAY_TAKE_LONG.search(pattern):
        return [len(wanted.findall(text)) for text in texts]
    request = json.dumps([pattern, int(flags), list(texts)])
    try:
        command = [sys.executable, "-I", "-c", _SEARCH]  # a script of ours; the pattern is data on its input
        done = subprocess.run(  # noqa: S603
            command, input=request, capture_output=True, text=True, timeout=SECONDS, check=True
        )
    except subprocess.TimeoutExpired:
        raise ValueError(f"The pattern takes longer than {SECONDS:g} seconds; use a simpler one.") from None
    counts: list[int] = json.loads(done.stdout)
    return counts
