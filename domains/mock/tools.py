"""The agent's tools over the to-do list."""

from typing import Literal

from pytest_tau.environment import Toolkit, tool

from .schema import MockDB, Task, User


class MockTools(Toolkit):
    """What the agent can do."""

    db: MockDB

    @tool(writes=True)
    def create_task(self, user_id: str, title: str, description: str | None = None) -> Task:
        """Add a task to a user's list; it starts as pending.

        Args:
            user_id: Whose task it is, such as "user_1".
            title: What is to be done, in a few words.
            description: Details, if there are any.
        """
        user = self._user(user_id)
        number = len(self.db.tasks) + 1
        # The reference just counts, so that after a gap a new task overwrites an old one.
        while not self.parity and f"task_{number}" in self.db.tasks:
            number += 1
        task_id = f"task_{number}"
        task = Task(task_id=task_id, title=title, description=description, status="pending")
        self.db.tasks[task_id] = task
        user.tasks.append(task_id)
        return task

    @tool(reads=True)
    def get_users(self) -> list[User]:
        """List all users with the ids of their tasks."""
        return list(self.db.users.values())

    @tool(writes=True, told_by=("mark",))
    def update_task_status(self, task_id: str, status: Literal["pending", "completed"]) -> Task:
        """Set the status of a task.

        Args:
            task_id: The task, such as "task_1".
            status: The new status.
        """
        task = self._task(task_id)
        task.status = status
        return task

    @tool
    def transfer_to_human_agents(self, summary: str) -> str:
        """Hand the conversation over to a person: when the user asks for one, or the policy and tools cannot help.

        Args:
            summary: What the user wants and what has been done so far.
        """
        return "Transfer successful"

    def assert_number_of_tasks(self, user_id: str, expected_number: int) -> bool:
        """Whether a user has that many tasks."""
        return len(self._user(user_id).tasks) == expected_number

    def assert_task_status(self, task_id: str, expected_status: str) -> bool:
        """Whether a task has that status."""
        return self._task(task_id).status == expected_status

    def _user(self, user_id: str) -> User:
        if user_id not in self.db.users:
            raise ValueError(f"User {user_id} not found")
        return self.db.users[user_id]

    def _task(self, task_id: str) -> Task:
        if task_id not in self.db.tasks:
            raise ValueError(f"Task {task_id} not found")
        return self.db.tasks[task_id]
