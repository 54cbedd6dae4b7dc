"""The command that a verdict prints, to run exactly its trial again."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest

from ...scrub import public
from ..collecting.task_files import virtual_nodeid
from ..run import Run
from ..settings.options import OF_THE_RUN, SWITCHES


def rerun_command(run: Run, item: pytest.Item) -> str:
    """The command that runs exactly this trial again."""
    args: list[str] = []
    given = iter(run.config.invocation_params.args)
    for arg in map(str, given):
        if not arg.startswith("--tau-"):
            continue
        name, equals, value = arg.partition("=")
        option = [arg] if equals or name in SWITCHES else [arg, str(next(given, ""))]
        if name == "--tau-rescore":  # by then the latest run of a folder is another
            option = [name, str(run.recorded)]
        if name.endswith("-llm-args"):
            option = [name, _without_keys(value if equals else option[1])]
        if name not in OF_THE_RUN:
            args += option
    nodeid = item.nodeid
    if virtual_nodeid(run, item.path) is None:
        here = os.path.relpath(item.path, run.here)
        nodeid = f"{Path(here).as_posix()}::{nodeid.partition('::')[2]}"
    return shlex.join(["pytest", nodeid, *args])


def _without_keys(arguments: str) -> str:
    """The parameters of a model as they may be printed."""
    return json.dumps(public(json.loads(arguments)))
