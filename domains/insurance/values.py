"""The insurer's figures that are in force: the one place from which documents, procedures and tasks have them."""

from pytest_tau.environment import values_of

VALUES = values_of(__package__)
