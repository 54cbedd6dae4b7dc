"""What went wrong with the replies of a trial's players without ending it, by the names under which it is counted.

A record has them as ``agent: …`` or ``user: …``, with how often each came.
"""

from __future__ import annotations

TEXT_CALL = "tool call as text"
TEXT_CALL_RUN = "tool call as text, run"
CUT = "output cut by length"
REFUSAL = "refusal"
FILTERED = "content filter"
EMPTY = "empty answer"
BROKEN_CALL = "broken tool call"
THOUGHTS = "thoughts in the text"
ASKED_AGAIN = "asked again"
ROLE_LOST = "fell out of its role"
END_MARK = "end mark in another form"
FOREIGN_ID = "id that nobody had told"
SPARED = "steps spared"
"""Not of a side: steps that a stalled conversation was not played on for."""
