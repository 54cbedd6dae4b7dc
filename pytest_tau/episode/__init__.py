"""A trial step by step: the caller is the agent, and everybody else plays by the rules of a trial.

    episode = Episode(task, domain, user="scripted", seed=1)
    observation = episode.reset()
    while not episode.done:
        observation, reward, done, info = episode.step(policy(observation))

How it works. An episode drives the same :class:`~pytest_tau.conversation.trial.Trial` that pytest plays. It lets the
customer answer and the tools run until it is the agent's turn, and stops there; :meth:`Episode.step` hands over what
the agent does. So turn rules, limits and the record are those of a trial, and so is the grade.

An episode can be held, copied and stored at any turn. A fork copies no message and no record of the world: messages
never change, and both worlds share the records touched so far until one of them touches them again. The customer of a
fork is made anew and takes up the conversation that it sees. What is stored are the messages; loading executes the
writing calls again, as grading does.

``playing.py`` has the episode, ``looking.py`` what is seen of it, ``rewards.py`` what a step earns, ``storing.py`` how
it is kept.
"""

from __future__ import annotations

from .looking import Info, Observation
from .playing import Action, Episode
from .rewards import Shaped, passed

__all__ = ["Action", "Episode", "Info", "Observation", "Shaped", "passed"]
