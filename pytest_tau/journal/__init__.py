"""The record of a run: one JSON line for each trial, appended as it finishes, and read back later.

A run has a folder of its own under the results folder (``.tau`` by default), which ignores itself in git and has a
``latest`` link (``folders``). In it are the journal, written by the process that prints the report (``writer``), and
while the run lasts a spool of each process that plays trials, written as a conversation ends (``spools``): what is only
there when all are killed is part of the record, for whoever reads it (``reading``).
"""

from .folders import FILE_NAME, LATEST, MEASURED, drop_run, last_run, new_run
from .lines import LineFile, is_graded, is_open, simulation_id
from .packing import PackedFile, PackedTexts, version_problem
from .reading import BrokenLine, journal_file, load_journal, load_whole, read_as_kept, read_trials, validate
from .rescue import put_back
from .spools import REST, Spool, Spooled, has_spools, is_of_task_file, orphan, orphans, read_open, read_spool
from .writer import JournalWriter

__all__ = [
    "FILE_NAME",
    "LATEST",
    "MEASURED",
    "REST",
    "BrokenLine",
    "JournalWriter",
    "LineFile",
    "PackedFile",
    "PackedTexts",
    "Spool",
    "Spooled",
    "drop_run",
    "has_spools",
    "is_graded",
    "is_of_task_file",
    "is_open",
    "journal_file",
    "last_run",
    "load_journal",
    "load_whole",
    "new_run",
    "orphan",
    "orphans",
    "put_back",
    "read_as_kept",
    "read_open",
    "read_spool",
    "read_trials",
    "simulation_id",
    "validate",
    "version_problem",
]
