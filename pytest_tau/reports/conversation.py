"""One trial as an HTML page without any script, for places that show attachments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .evidence import shown, task_view, trial_view
from .html import fixed, templates

if TYPE_CHECKING:
    from ..schema.record import TrialRecord
    from ..schema.task import Task


def conversation_html(record: TrialRecord, task: Task) -> str:
    """The conversation turn by turn, with calls and results to open, and the grade; model text is escaped."""
    environment = templates()
    style, style_hash = fixed(environment, "conversation.css")
    return environment.get_template("conversation.html").render(
        title=shown(f"{record.domain}/{record.task_id}, trial {record.trial}: {record.outcome.value}"),
        style=style,
        style_hash=style_hash,
        trial=trial_view(record),
        task=task_view(task),
    )
