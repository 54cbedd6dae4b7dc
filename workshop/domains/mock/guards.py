"""What the tasks of the to-do list guard of its policy, and what an agent does that takes the policy at its word."""

from tau_workshop.policy import Clause, RuleBook, of_tasks
from tau_workshop.policy.literal import both, gives_in, gives_no_reason, keeps_it, where
from tau_workshop.policy.safety import SAFETY

DELETES, STRANGER = of_tasks("delete_a_task"), of_tasks("task_for_a_stranger")

book = RuleBook(
    *SAFETY,
    Clause("known-users", STRANGER, where(STRANGER, gives_in("create_task"))),
    Clause("never-deleted", DELETES, where(DELETES, both(gives_no_reason, keeps_it))),
)
"""The clauses in the order of the policy, after those on safety, privacy and ethics."""
