"""Looks a run's models over before it is paid for: ``pytest-tau doctor``.

Each check asks a model something small and says what it found, and what to do about it. Nothing here knows pytest.
"""
