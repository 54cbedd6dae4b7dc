"""No redirect is followed, by real requests on loopback."""

import urllib.request
from urllib.error import HTTPError

import pytest

from pytest_tau.llm.redirects import NoRedirect
from tests.llm.asking import KEY
from tests.llm.server import PATH, Answer, ChatServer, says


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_another_address_gets_neither_the_request_nor_its_key(status: int) -> None:
    with ChatServer(says("Hello.")) as other:
        place = other.url.partition("/v1")[0] + PATH
        with ChatServer(Answer(b"", status=status, headers={"Location": place})) as server:
            url = server.url.partition("/v1")[0] + PATH
            request = urllib.request.Request(url, b"{}", {"Authorization": f"Bearer {KEY}"})  # noqa: S310
            with pytest.raises(HTTPError) as refused:
                urllib.request.build_opener(NoRedirect()).open(request, timeout=30)
            refused.value.close()
        assert refused.value.code == status
        assert other.requests == []
