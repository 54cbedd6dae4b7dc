"""The customer's own tools: an inbox of notifications."""

from pytest_tau.environment import Toolkit, tool

from .schema import MockUserDB, Notification


class MockUserTools(Toolkit):
    """What the customer can do on their side."""

    db: MockUserDB

    @tool(reads=True)
    def check_notifications(self) -> list[Notification]:
        """Read all notifications in your inbox, old ones too."""
        return list(self.db.notifications.values())

    @tool(writes=True)
    def dismiss_notification(self, notification_id: str) -> str:
        """Mark one notification as read.

        Args:
            notification_id: The notification, such as "notif_1".
        """
        self._notification(notification_id).status = "read"
        return f"Notification {notification_id} dismissed"

    def add_notification(self, notification_id: str, message: str, task_id: str | None = None) -> Notification:
        """Put an unread notification into the inbox, in place of one with the same id."""
        notification = Notification(notification_id=notification_id, message=message, task_id=task_id)
        self.db.notifications[notification_id] = notification
        return notification

    def assert_notification_status(self, notification_id: str, expected_status: str) -> bool:
        """Whether a notification has that status."""
        return self._notification(notification_id).status == expected_status

    def _notification(self, notification_id: str) -> Notification:
        if notification_id not in self.db.notifications:
            raise ValueError(f"Notification {notification_id} not found")
        return self.db.notifications[notification_id]
