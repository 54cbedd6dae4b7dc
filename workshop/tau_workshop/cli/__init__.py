"""The verbs of ``pytest-tau`` that make or check worlds and tasks: one module a command."""
