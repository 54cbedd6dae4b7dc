"""Tools for authors of tasks: checking, composing."""
