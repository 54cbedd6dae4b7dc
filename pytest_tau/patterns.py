"""Regular expressions that are compiled when they are first used: most processes need a third of what they import."""

from __future__ import annotations

import re
from typing import Any, cast

_METHODS = ("search", "match", "fullmatch", "findall", "finditer", "sub", "subn", "split", "groups", "groupindex")


class _Lazy:
    """Stands in for a pattern; once that is compiled, its methods are found here, without a step between."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self.flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self.flags)
        vars(self).update({each: getattr(compiled, each) for each in _METHODS})
        return getattr(compiled, name)


def any_of(*parts: str) -> re.Pattern[str]:
    """Finds any of these, in small letters or capitals; compiled at the first use."""
    return lazy("|".join(parts), re.IGNORECASE)


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As ``re.compile``, at the first use; a wrong pattern raises re.error then."""
    return cast("re.Pattern[str]", _Lazy(pattern, flags))


TOKEN = lazy(r"(?<![\w@.#-])[@.-]*([#\w][\w@.#-]*\w)")
"""Words, numbers, ids and addresses, as its group.

It begins at no second place of a run of signs, which would be read to its end from each of them.
"""

UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Letters of scripts that put no blank around each word, such as Chinese, Japanese, Korean and Thai; for a class."""
