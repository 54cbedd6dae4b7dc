"""What can go wrong, as one tree.

TauError                    one sentence: what, where, what to do next
├── SettingsError           an option, an ini value or an environment variable
├── DomainError             a domain folder: its Python, policy, database or tools
├── TaskError               a task file or a task in it
├── RecordingError          a results file, a journal or a conversation that cannot be read or replayed
├── CassetteError           a model call that its recording does not have, or a recording that cannot be used
├── PlayerError             an agent or a user that does not keep to the protocol: its factory, its replies
├── SnapshotMismatch         a trajectory is not the one in its snapshot, or there is none
├── AgentFault              the agent did something no environment can answer: a miss, never a bug
├── InfraError              the provider or the machine failed: neither the agent's miss nor a bug
├── ConversationOver        a tool was called after its conversation had ended
└── TrialCancelled          nobody waits for this trial any more
"""

from __future__ import annotations

import os
import traceback

from .printable import cut_quotes, printable


class TauError(Exception):
    """Base of every error that pytest-tau raises on purpose; ``str()`` is one sentence, safe for a terminal."""

    def __str__(self) -> str:
        return printable(cut_quotes(super().__str__()))


class SettingsError(TauError):
    """An option, an ini value or an environment variable cannot be used."""


class DomainError(TauError):
    """A domain folder cannot be used: its Python, its policy, its database or its tools."""


class TaskError(TauError):
    """A task file cannot be read, or a task in it is not one."""


class RecordingError(TauError):
    """A recorded conversation or results file cannot be read, or does not replay to the same results."""


class CassetteError(TauError):
    """A model was asked what its recording does not have, or the recording cannot be read or written."""


class PlayerError(TauError, TypeError):
    """An agent or a user does not keep to the protocol: what its factory made, or what it replied."""


class SnapshotMismatch(TauError):
    """A trajectory is not the one in its snapshot, or there is no snapshot to compare it with."""


class AgentFault(TauError):
    """Raise this from an agent to lose the trial: it counts as missed, not as an error in the test run."""


class InfraError(TauError):
    """The provider or the machine failed: the trial is neither passed nor missed, and can be run again."""


class ConversationOver(TauError):
    """A tool was called after the conversation it belongs to had ended."""


class TrialCancelled(TauError):
    """The trial ended between two turns without a result, because nobody waits for it any more."""


def reason(error: BaseException) -> str:
    """Why a file could not be used, for a sentence that names it; what the system says of it would name it again."""
    if isinstance(error, UnicodeDecodeError):
        return f"no text in utf-8 (byte {error.start + 1} is 0x{error.object[error.start]:02x})"
    return (error.strerror or describe(error)) if isinstance(error, OSError) else describe(error)


def from_where(error: BaseException) -> str:
    """Where an exception of somebody's code comes from, and what it says: ``conftest.py:3: ValueError: no such …``.

    A library that this code has called, ours among them, tells its author nothing.
    """
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if not frame.filename.startswith(_libraries())]
    where = next((f"{one.filename}:{one.lineno}: " for one in reversed(theirs or frames)), "")
    return f"{where}{type(error).__name__}: {describe(error)}"


def _libraries() -> tuple[str, ...]:
    """How the files of this package, of Python and of what is installed begin."""
    import sysconfig

    installed = (sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    return "<", *(os.path.join(folder, "") for folder in (os.path.dirname(__file__), *installed))


def describe(error: BaseException) -> str:
    """The text of any exception, whatever its class makes of ``str()``, without lone surrogates."""
    try:
        text = str(error)
    except (Exception, SystemExit, GeneratorExit):
        return f"({type(error).__name__}, which has no text: its __str__ raises)"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
