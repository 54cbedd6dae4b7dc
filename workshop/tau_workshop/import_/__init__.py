"""From a logged conversation to a task: the customer, the gold path, what must be told, and the world it began in.

:mod:`pytest_tau.recordings` reads the log and finds the world. Here :mod:`.customer` makes the customer out of their
turns, :mod:`.gold` the gold path out of what was done, :mod:`.expect` reads what an author says should have been done
instead, :mod:`.making` puts a task together, :mod:`.groups` keeps one task for calls about the same thing, and
:mod:`.redact` replaces what tells of people.
"""
