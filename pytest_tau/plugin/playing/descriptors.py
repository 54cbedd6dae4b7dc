"""Room for the connections of many conversations: systems let a process open 1,024 files where nobody asks for more."""

from __future__ import annotations

# Connections of one conversation: of agent, customer and judge, and one that is being replaced.
_EACH = 4
_OTHERS = 256


def make_room(conversations: int) -> None:
    """Let this process open as many files as so many conversations may need, as far as the system lets it."""
    try:
        import resource
    except ImportError:  # Windows, which has no such limit
        return
    wanted = _EACH * conversations + _OTHERS
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft in (resource.RLIM_INFINITY, -1) or soft >= wanted:
        return
    allowed = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    if allowed > soft:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
        except (OSError, ValueError):  # a system that says more than it gives: then a call that has no room is retried
            return
