"""A server for models, for runs within a test run."""

from tests.options.conftest import _litellm, serve  # noqa: F401 (fixtures)
