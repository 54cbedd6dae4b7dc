"""What is stored and exchanged: messages, tasks, simulations, rewards. Imports nothing else of ours.

Modules with models have no ``from __future__ import annotations``: of texts, pydantic would compile each annotation
again, which takes a quarter of the time to import them.
"""
