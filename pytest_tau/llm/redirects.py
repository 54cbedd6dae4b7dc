"""No redirect is followed: a POST would become a GET, and another host would get our key."""

from __future__ import annotations

import urllib.request
from typing import Any


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """For an opener of urllib's: a redirect is an HTTPError like any other status."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        """Follow none."""
        return
