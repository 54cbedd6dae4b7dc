"""The root of this project, which is also the model of a user's project: suites in tasks/, domains in domains/.

A project that has an agent of its own would name it here, with a ``tau_agent`` fixture or ``pytest_tau_make_agent``.
"""
