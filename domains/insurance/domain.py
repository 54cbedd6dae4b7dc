"""insurance: household, car, journey, animal, bicycle and device, by rules that stand in a library of documents."""

from datetime import datetime

from pytest_tau.environment import DomainSpec, KnowledgeBase

from .tools import InsuranceTools

domain = DomainSpec(
    tools=InsuranceTools,
    now=datetime(2026, 3, 16, 10, 0),
    documents=KnowledgeBase(),
    safety="1",
    checks=[{"check": "claims"}, {"check": "own_records"}],
)
