"""One ``--tau-*`` option: its name, what its text must be, what it decides, and its help.

Loaded in every pytest session, so it imports nothing heavy.
"""

from __future__ import annotations

from typing import Any, Literal

Decides = Literal["agent", "result", "suite", "trial", "run"]
"""What an option decides, and so who looks at it:

agent    who is evaluated. A run that is resumed or merged has the same; a baseline is there to compare others with.
result   how a trial of any agent goes, or how it is graded. Resumed and merged runs and baselines have the same.
suite    which trials there are. Resumed and merged runs have the same.
trial    something about each trial that its result does not depend on; the command that runs one again repeats it.
run      something about a whole run only.
"""


class Option:
    """One option. ``kind`` says what its text must be, in the words of :func:`.values.parse`."""

    __slots__ = ("decides", "dest", "flag", "help", "kind", "metavar", "name", "repeated")

    def __init__(
        self, decides: Decides, name: str, metavar: str, kind: str, help: str, *, repeated: bool = False
    ) -> None:
        self.decides, self.name, self.metavar, self.kind, self.help = decides, name, metavar, kind, help
        self.repeated = repeated
        self.dest = f"tau_{name}"
        self.flag = "--tau-" + name.replace("_", "-")

    @property
    def switch(self) -> bool:
        """Whether it takes no value on the command line; its ini twin is on or off."""
        return not self.metavar

    def parse(self, text: str) -> Any:
        """The setting that a text stands for; raises ArgumentTypeError with what it must be."""
        from . import values  # which a session that is given no option does without

        return values.parse(self.kind, text)


def switch_option(decides: Decides, name: str, help: str) -> Option:
    """An option without a value, whose ini twin is on or off."""
    return Option(decides, name, "", "switch", help)
