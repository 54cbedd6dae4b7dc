"""Tells failures of a provider or network from bugs, by class name and status, without importing any client."""

from __future__ import annotations

from ..errors import InfraError

# As the OpenAI, Anthropic, litellm, httpx and botocore clients name them.
_INFRA_NAMES = {
    "APIConnectionError",
    "APITimeoutError",
    "ConnectError",
    "ConnectTimeout",
    "EndpointConnectionError",
    "InternalServerError",
    "OverloadedError",
    "PoolTimeout",
    "RateLimitError",
    "ReadError",
    "ReadTimeout",
    "RemoteProtocolError",
    "ServiceUnavailableError",
    "ThrottlingException",
    "Timeout",
    "WriteTimeout",
}


def is_infra(error: BaseException) -> bool:
    """Whether an exception out of an agent or a user is the provider's or the network's fault, and worth a new try.

    Frameworks raise errors of their own from those of the client below them: what an error was raised from counts too.
    """
    seen: list[BaseException] = []
    while error not in seen:
        if _is_infra(error):
            return True
        seen.append(error)
        error = error.__cause__ or error
    return False


def _is_infra(error: BaseException) -> bool:
    if isinstance(error, (InfraError, ConnectionError, TimeoutError)):
        return True
    if any(cls.__name__ in _INFRA_NAMES for cls in type(error).__mro__):
        return True
    status = getattr(error, "status_code", getattr(error, "status", None))
    return isinstance(status, int) and (status in (408, 429) or 500 <= status < 600)
