"""The command that a verdict prints, to run exactly its trial again."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator, Set
from pathlib import Path

import pytest

from ...scrub import mark_secrets
from ..collecting.nodeids import virtual_nodeid
from ..collecting.slot import slots_by_parameter
from ..private import parameters_of
from ..run import Run
from ..settings.options import ACTIONS, OPTIONS

# Options of pytest that decide which plugins, settings and files there are, each with a value.
_OF_PYTEST = re.compile(
    r"(?P<name>-[poc]|--override-ini|--rootdir|--config-file|--confcutdir)(?P<value>=?.+)?", re.DOTALL
)
_MODEL_ARGS = re.compile(r"(?P<key>tau_\w+_llm_args)\s*=(?P<value>.*)", re.DOTALL)


_SWITCHES = {option.flag for option in (*OPTIONS, *ACTIONS) if option.switch}
_OF_THE_RUN = {option.flag for option in (*OPTIONS, *ACTIONS) if option.decides in ("suite", "run")}
# Without these the test that is meant would not be there. Which rules a number of mutants means depends on the files
# that are collected, so the one of this trial is named instead.
_OF_THE_RUN -= {"--tau-perturb", "--tau-faults"}


def rerun_command(run: Run, item: pytest.Item) -> str:
    """The command that runs exactly this trial again; "[key]" stands where a key has to be put back."""
    nodeid = item.nodeid
    if virtual_nodeid(run, item.path) is None:
        here = os.path.relpath(item.path, run.here)
        nodeid = f"{Path(here).as_posix()}::{nodeid.partition('::')[2]}"
    key = parameters_of(item).get("tau_slot")
    slot = None if key is None else run.one(slots_by_parameter)[key]
    edit = None if slot is None or slot.variant is None else slot.variant.edit
    mutant = [] if edit is None else [f"--tau-policy-mutants={edit.rule}={edit.operation}"]
    # One for several domains is meant for those that have documents; alone, any other domain refuses it.
    idle = {"--tau-knowledge"} if slot is not None and slot.domain.knowledge is None else set[str]()
    return shlex.join(["pytest", nodeid, *_options(run, _OF_THE_RUN | idle), *mutant])


def _options(run: Run, left_out: Set[str]) -> Iterator[str]:
    """What of the command line, and of PYTEST_ADDOPTS before it, is about each trial."""
    addopts = shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))  # as pytest has split it
    given = iter([*addopts, *map(str, run.config.invocation_params.args)])
    for arg in given:
        name, equals, value = arg.partition("=")
        if arg.startswith("--tau-"):
            if not equals and name not in _SWITCHES:
                value = next(given, "")
            if name in left_out:
                continue
            if name == "--tau-rescore":  # by then the latest run of a folder is another
                yield from (name, str(run.recorded))
            elif name.endswith("-llm-args"):
                yield from (name, without_keys(value))
            else:
                yield from [arg] if equals or name in _SWITCHES else [arg, value]
        elif found := _OF_PYTEST.fullmatch(arg):
            value = next(given, "") if found["value"] is None else found["value"]
            if (key := _MODEL_ARGS.fullmatch(value.removeprefix("="))) is not None:
                value = value[: value.index(key["key"])] + f"{key['key']}={without_keys(key['value'])}"
            yield from [arg, value] if found["value"] is None else [f"{found['name']}{value}"]


def without_keys(arguments: str) -> str:
    """The parameters of a model as they may be printed: whoever types them sees where a key is missing."""
    try:
        return json.dumps(mark_secrets(json.loads(arguments)))
    except (ValueError, RecursionError):
        return "…"
