"""airline: book, change and cancel flights, where most of the rules are the agent's to know and not the tools'."""

from datetime import datetime

from pytest_tau.environment import DomainSpec

from .tools import AirlineTools

domain = DomainSpec(tools=AirlineTools, now=datetime(2024, 5, 15, 15))
