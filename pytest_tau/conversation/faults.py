"""Tells whose fault an exception is: a provider's, the agent's, or a bug's; by class name and status alone.

No client and no framework is imported for that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from ..errors import AgentFault, InfraError

# As the OpenAI, Anthropic, litellm, httpx, requests, urllib, aiohttp and botocore clients name them.
_INFRA_NAMES = {
    "APIConnectionError",
    "APITimeoutError",
    "ChunkedEncodingError",
    "ClientConnectionError",
    "ClientPayloadError",
    "ConnectTimeout",
    "ConnectionError",
    "EndpointConnectionError",
    "IncompleteRead",
    "InternalServerError",
    "NetworkError",
    "OverloadedError",
    "PoolTimeout",
    "ProxyError",
    "RateLimitError",
    "ReadTimeout",
    "RemoteProtocolError",
    "ServiceUnavailableError",
    "ThrottlingException",
    "Timeout",
    "WriteTimeout",
    "gaierror",
}
# What frameworks raise where their agent has used up its turns, called a tool that is not there, or written what nobody
# can read: OpenAI Agents SDK, LangChain and LangGraph, Pydantic AI, smolagents, Strands, CrewAI; OpenAI's client.
_MISS_NAMES = {
    "AgentMaxStepsError",
    "AgentParsingError",
    "AgentToolCallError",
    "GraphRecursionError",
    "LengthFinishReasonError",
    "MaxTokensReachedException",
    "MaxTurnsExceeded",
    "ModelBehaviorError",
    "ModelCallLimitExceededError",
    "MultipleStructuredOutputsError",
    "OutputParserException",
    "StructuredOutputValidationError",
    "ToolCallLimitExceededError",
    "ToolExecutionFailedError",
    "UnexpectedModelBehavior",
    "UsageLimitExceeded",
}

Verdict = bool | Literal["miss"]
"""Whose fault an exception is: True the provider's, "miss" the agent's, False nobody's in the trial: a bug."""


def whose_fault(error: BaseException) -> Verdict:
    """Whose fault an exception out of an agent or a user is; what it was raised from counts too."""
    if is_infra(error):
        return True
    missed = any(
        isinstance(cause, AgentFault) or any(cls.__name__ in _MISS_NAMES for cls in type(cause).__mro__)
        for cause in _causes(error)
    )
    return "miss" if missed else False


def is_infra(error: BaseException) -> bool:
    """Whether an exception out of an agent or a user is the provider's or the network's fault, and worth a new try.

    Frameworks raise errors of their own from those of the client below them: what an error was raised from counts too.
    """
    return any(map(_is_infra, _causes(error)))


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An exception and what it was raised from, each once."""
    seen: list[BaseException] = []
    while error not in seen:
        yield error
        seen.append(error)
        told = getattr(error, "reason", None)  # of urllib's URLError
        error = error.__cause__ or (told if isinstance(told, BaseException) else error)


def _is_infra(error: BaseException) -> bool:
    if isinstance(error, (InfraError, ConnectionError, TimeoutError)):
        return True
    if any(cls.__name__ in _INFRA_NAMES for cls in type(error).__mro__):
        return True
    answer = getattr(error, "response", None)  # of httpx and requests
    told = (getattr(error, "status_code", None), getattr(error, "status", None), getattr(answer, "status_code", None))
    status = next((one for one in told if isinstance(one, int)), 0)  # Google's client has a word in one of them
    return status in (408, 429) or 500 <= status < 600
