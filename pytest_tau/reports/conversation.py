"""One trial as an HTML page without any script, for places that show attachments."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ..errors import TauError
from ..pictures import pictures_of
from .evidence import task_view, trial_view, visible_text
from .html import inline_asset, templates

if TYPE_CHECKING:
    from ..schema.record import TrialRecord
    from ..schema.task import Task


def conversation_html(record: TrialRecord, task: Task) -> str:
    """The conversation turn by turn, with calls and results to open, and the grade; model text is escaped."""
    environment = templates()
    style, style_hash = inline_asset(environment, "conversation.css")
    return environment.get_template("conversation.html").render(
        title=visible_text(f"{record.domain}/{record.task_id}, trial {record.trial}: {record.outcome.value}"),
        style=style,
        style_hash=style_hash,
        trial=trial_view(record),
        pictures=_pictures(record),
        task=task_view(task),
    )


def _pictures(record: TrialRecord) -> dict[str, str]:
    """The pictures whose bytes are at hand, as data URIs by their hash."""
    found = {}
    for one in pictures_of(record.simulation) if record.simulation else ():
        with suppress(TauError):
            found[one.sha256 or ""] = one.uri
    return found
