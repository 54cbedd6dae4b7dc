"""What the laws are tried on: JSON values, messages, and calls of a domain's tools with all sorts of arguments."""

from functools import cache
from typing import Any

from hypothesis import strategies as st

from pytest_tau import Domain
from tests.strategies import text

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | text(max_size=12)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@cache
def calls(domain: Domain) -> st.SearchStrategy[tuple[str, dict[str, Any], str]]:
    """A call of any tool of either side, by either side: its own arguments, some others, keys that exist or not."""
    env = domain.environment()
    specs = [*env.tool_specs(), *env.tool_specs("user")]
    state = env.dump()
    keys = [key for side in state.values() for table in (side or {}).values() for key in list(table)[:5]]
    values = st.sampled_from(keys) | JSON

    def of(index: int) -> st.SearchStrategy[tuple[str, dict[str, Any], str]]:
        spec = specs[index]
        own = st.fixed_dictionaries({}, optional=dict.fromkeys(spec.signature.parameters, values))
        other = st.dictionaries(
            st.sampled_from(["self", "name", "tool_name", "arguments"]) | text(max_size=6), JSON, max_size=1
        )
        arguments = st.builds(lambda a, b: {**b, **a}, own, other)
        return st.tuples(st.just(spec.name), arguments, st.sampled_from(["assistant", "user"]))

    return st.integers(0, len(specs) - 1).flatmap(of)
