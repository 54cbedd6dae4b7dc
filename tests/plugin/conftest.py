"""The server of the options about models, for what is not about one option."""

from tests.cli.conftest import _litellm, serve  # noqa: F401 (fixtures)
