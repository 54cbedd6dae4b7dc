"""A domain from nothing: tickets of a help desk, small enough to be read in a minute and replaced."""

from __future__ import annotations

from .tables import change, look_up, wishes
from .world import Argument, Column, Method, SourceTable, SourceWorld

_ROWS = {
    "T1": {"ticket_id": "T1", "customer": "Ines Aldaya", "subject": "The lamp flickers", "status": "open"},
    "T2": {"ticket_id": "T2", "customer": "Ines Aldaya", "subject": "A second key", "status": "closed"},
    "T3": {"ticket_id": "T3", "customer": "Bo Lindqvist", "subject": "The invoice is missing", "status": "open"},
}
TICKETS = SourceTable(
    "tickets",
    "Ticket",
    ("ticket_id",),
    (
        Column("ticket_id", "str"),
        Column("subject", "str", about="What it is about, in a few words."),
        Column("customer", "str"),
        Column("status", 'Literal["open", "closed"]'),
    ),
    _ROWS,
)
_CLOSE = Method(
    "close_ticket",
    (Argument("ticket_id", "str", 'Which ticket, such as "T1".'),),
    "Ticket",
    "Close a ticket; a closed one stays closed.",
    True,
    ("ticket = self._ticket(ticket_id)", 'ticket.status = "closed"', "return ticket"),
)


def world(name: str, *more: Method, imports: tuple[str, ...] = (), todo: tuple[str, ...] = ()) -> SourceWorld:
    """The world, with more tools beside its own."""
    update = change(TICKETS)
    own = tuple(method for method in (look_up(TICKETS), update, _CLOSE) if method is not None)
    return SourceWorld(
        name,
        "their tickets at a help desk",
        (TICKETS,),
        (*own, *more),
        wishes((TICKETS,), own),
        imports,
        todo
        or (
            "replace the tickets in schema.py, db.json and tools.py by your own records and tools",
            "write the rules of your agents into policy.md",
        ),
    )
