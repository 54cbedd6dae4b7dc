"""The name under which verifiers finds ``pytest_tau.adapters.verifiers``: its loader wants a module at the top."""

from pytest_tau.adapters.verifiers import TauTaskset, TauVerifiersEnv

__all__ = ["TauTaskset", "TauVerifiersEnv"]
