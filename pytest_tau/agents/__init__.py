"""The agents that come with pytest-tau, and how a name on the command line becomes one."""
