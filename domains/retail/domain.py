"""retail: a web shop whose customers cancel, change, return and exchange what they ordered."""

from pytest_tau.environment import DomainSpec

from .tools import RetailTools

domain = DomainSpec(tools=RetailTools)
