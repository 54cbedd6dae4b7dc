"""The limits that a run's model calls keep to, and what each of several hosts may have of them."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import SettingsError


@dataclass(frozen=True)
class LimitSettings:
    """What to keep to; None is no limit.

    Attributes:
        rpm: requests in any minute, retries included.
        tpm: tokens in any minute, read and written.
        max_inflight: requests at once.
        budget_usd: USD in all.
        budget_tokens: tokens in all.
    """

    rpm: int | None = None
    tpm: int | None = None
    max_inflight: int | None = None
    budget_usd: float | None = None
    budget_tokens: int | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not value > 0:
                raise SettingsError(f"{name.replace('_', ' ')} is {value}; a limit is more than 0")

    @property
    def has_budget(self) -> bool:
        """Whether there is a budget, in USD or in tokens."""
        return self.budget_usd is not None or self.budget_tokens is not None

    def part(self, hosts: int) -> LimitSettings:
        """What each of so many hosts keeps to, so that together they keep to this; whole numbers are rounded down.

        Raises:
            SettingsError: a host would be left with nothing.
        """
        parts: dict[str, float] = {}
        for name, value in vars(self).items():
            if value is None:
                continue
            parts[name] = value / hosts if name == "budget_usd" else value // hosts
            if parts[name] == 0:
                raise SettingsError(
                    f"{name.replace('_', ' ')} is {value}, too little to be shared by {hosts} hosts; "
                    f"raise it to at least {hosts}, or use fewer hosts"
                )
        return LimitSettings(**parts)  # type: ignore[arg-type]  # each has the type of what it is a part of
