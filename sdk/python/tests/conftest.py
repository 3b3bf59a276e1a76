from __future__ import annotations

from collections.abc import Iterator

import pytest
from real_server import TestServer


@pytest.fixture(scope="session")
def server() -> Iterator[TestServer]:
    """A server that all tests share, so each uses call ids of its own."""
    with TestServer() as running:
        yield running
