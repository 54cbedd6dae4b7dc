"""bikes: a small bicycle hire whose customers change their bookings by phone."""

from pytest_tau.environment import DomainSpec

from .tools import BikesTools

domain = DomainSpec(tools=BikesTools)
