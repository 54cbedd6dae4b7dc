"""Failures as a client of a provider raises them, at a time that does not pass."""

from datetime import UTC, datetime

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC).timestamp()


class HTTPError(Exception):
    """A failure as a client raises it."""

    def __init__(self, status_code: int | None, text: str = "It broke.", **headers: str) -> None:
        super().__init__(text)
        if status_code is not None:
            self.status_code = status_code
        self.litellm_response_headers = {name.replace("_", "-"): value for name, value in headers.items()}
