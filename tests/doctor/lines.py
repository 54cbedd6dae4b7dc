"""Lines to a model on loopback, and what the doctor has to say against it."""

from typing import Any

from pytest_tau.doctor.findings import DoctorFinding
from pytest_tau.doctor.line import Maker, ModelLine
from pytest_tau.llm.client import LiteLLMClient
from pytest_tau.llm.pricing import Prices
from tests.llm.asking import no_wait

ALL = ("agent", "user", "judge")
PRICES = Prices.parse({"openai/patient": {"input": 2.0, "output": 10.0}})
LISTED = [{"id": "patient", "meta": {"n_ctx": 32768}}]


def maker(model: str, parameters: dict[str, Any], prices: Prices | None = PRICES) -> Maker:
    def make(changed: Any, *, retry: Any = None, watch: Any = None) -> LiteLLMClient:
        return LiteLLMClient(model, {**parameters, **changed}, retry=retry, watch=watch, prices=prices)

    return make


def line_to(url: str, sides: tuple[str, ...] = ALL, prices: Prices | None = PRICES, **parameters: Any) -> ModelLine:
    given = {"api_base": url, "api_key": "sk-test-1", **parameters}
    return ModelLine(sides, "openai/patient", given, maker("openai/patient", given, prices), no_wait)


def complaints(found: list[DoctorFinding]) -> dict[str, str]:
    """What is not as it should be: the status, and what is said, by check."""
    return {one.check: f"{one.status}: {one.text} -> {one.advice}" for one in found if one.status != "ok"}
