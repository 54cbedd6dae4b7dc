"""What makes those who watch over trials lose patience soon, as a conftest.py."""

# Time limits as short as this would be noise; here nothing else takes long.
SOON = "import pytest_tau.plugin.playing.guarding as r\nimport pytest_tau.plugin.playing.lookahead as l\n"
SOON += "for module in (r, l):\n    module.LOOK, module.PATIENCE = 0.1, 0.5\n"
