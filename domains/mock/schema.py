"""The records of the to-do list, and of the customer's inbox."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from pytest_tau.environment import Database, Table


class Task(BaseModel):
    """One thing to do."""

    task_id: str
    title: str
    description: str | None = None
    status: Literal["pending", "completed"]


class User(BaseModel):
    """Somebody with tasks."""

    user_id: str
    name: str
    tasks: list[str]


class MockDB(Database):
    """The agent's side."""

    tasks: Table[Task]
    users: Table[User]


class Notification(BaseModel):
    """A line in the customer's inbox."""

    model_config = ConfigDict(extra="forbid")

    notification_id: str
    message: str
    status: Literal["unread", "read"] = "unread"
    task_id: str | None = None


class MockUserDB(Database):
    """The customer's side."""

    notifications: Table[Notification]
