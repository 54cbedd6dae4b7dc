"""mock: a to-do list small enough to read in a minute; for quick starts and for our own tests."""

from pytest_tau.environment import DomainSpec

from .tools import MockTools
from .user_tools import MockUserTools

domain = DomainSpec(tools=MockTools, user_tools=MockUserTools, solo=True, safety="1")
