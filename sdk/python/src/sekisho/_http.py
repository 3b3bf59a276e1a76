"""HTTP requests: address, headers, body and result."""

from __future__ import annotations

import asyncio
import inspect
import ipaddress
import json
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import httpx

from ._generated.routes import ROUTES
from .errors import SekishoError, error_of, unreachable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from typing_extensions import TypeAlias


class ClientDefault:
    """Stands for the client's own timeout."""

    def __repr__(self) -> str:
        return "CLIENT_DEFAULT"


CLIENT_DEFAULT: Final = ClientDefault()
Timeout: TypeAlias = "float | None | ClientDefault"
"""Timeout of a request in seconds; `None` for none."""

Query: TypeAlias = "Mapping[str, str | int | float | bool | None]"
Token: TypeAlias = "str | Callable[[], str]"
AsyncToken: TypeAlias = "str | Callable[[], str | Awaitable[str]]"


class _Settings:
    """What both transports share: the address, and how requests are written and read."""

    def __init__(self, base_url: str, timeout: float | None) -> None:
        try:
            url = httpx.URL(base_url)
        except (httpx.InvalidURL, TypeError) as error:
            raise ValueError(f"`base_url` is no URL: {error}") from error
        if url.scheme not in ("http", "https") or not url.host:
            raise ValueError(f"`base_url` must begin with http:// or https:// and name a host: {base_url!r}")
        self.base_url = base_url.rstrip("/")
        self.address = str(url.copy_with(username=None, password=None, query=None, fragment=None)).rstrip("/")
        """The address without anything secret."""
        self.timeout = timeout
        # A proxy for other hosts must not see tokens of a local server.
        self.trust_env = not _is_loopback(url.host)

    def seconds(self, timeout: Timeout, default: Timeout) -> float | None:
        for one in (timeout, default):
            if not isinstance(one, ClientDefault):
                return one
        return self.timeout

    def request(
        self, operation: str, path: Mapping[str, str], query: Query, body: object, headers: Mapping[str, str], token: str | None
    ) -> dict[str, Any]:
        """The arguments of `httpx`'s `stream`."""
        try:
            method, template = ROUTES[operation]
        except KeyError:
            raise ValueError(f"unknown operation `{operation}`") from None
        sent = {"accept": "application/json", **headers}
        if token is not None:
            if not token.isascii() or not token.isprintable() or token.strip() == "":
                raise ValueError("the token is empty, or has characters that no token has")
            sent["authorization"] = f"Bearer {token.strip()}"
        made: dict[str, Any] = {"method": method, "url": self.base_url + _filled(template, path), "headers": sent}
        params = {name: _plain(value) for name, value in query.items() if value is not None}
        if params:
            made["params"] = params
        if body is not None:
            # Not exact in JSON (NaN, lone surrogates): an error here, before anything is sent.
            made["content"] = json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8")
            sent["content-type"] = "application/json"
        return made


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _plain(value: str | int | float | bool | None) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _filled(template: str, values: Mapping[str, str]) -> str:
    def fill(match: re.Match[str]) -> str:
        name = match.group(1)
        value = values.get(name, "")
        if value in ("", ".", ".."):
            raise ValueError(f"`{name}` is missing" if value == "" else f"`{name}` is no id: {value!r}")
        return quote(value, safe="")

    return re.sub(r"\{([^}]+)\}", fill, template)


def _understood(response: httpx.Response, content: bytes) -> Any:
    if not response.is_success:
        raise error_of(response.status_code, response.reason_phrase, response.headers.get("retry-after"), content)
    if response.status_code == 204:
        return None
    if response.headers.get("content-type", "").startswith("application/json"):
        try:
            return json.loads(content)
        except ValueError as error:
            raise unreachable(f"the response cannot be read: {error}") from error
    return content.decode("utf-8", "replace")


def _timed_out(seconds: float | None) -> SekishoError:
    return SekishoError(f"no answer within {seconds:g} s" if seconds is not None else "no answer", code="TimedOut")


def _unreachable(error: Exception) -> SekishoError:
    return unreachable(f"the server cannot be reached: {str(error) or type(error).__name__}")


class Http:
    """Sends requests to one server, blocking."""

    def __init__(
        self, base_url: str, token: Token | None, timeout: float | None, transport: httpx.BaseTransport | None = None
    ) -> None:
        self._settings = _Settings(base_url, timeout)
        self.address = self._settings.address
        self._token = token
        self._client = httpx.Client(transport=transport, trust_env=self._settings.trust_env, limits=_LIMITS)

    def close(self) -> None:
        self._client.close()

    @contextmanager
    def stream(
        self,
        operation: str,
        *,
        path: Mapping[str, str] | None = None,
        query: Query | None = None,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None,
    ) -> Iterator[httpx.Response]:
        """A response whose body is still arriving. `timeout` is for each piece of it."""
        token = self._token() if callable(self._token) else self._token
        request = self._settings.request(operation, path or {}, query or {}, body, headers or {}, token)
        try:
            with self._client.stream(**request, timeout=timeout) as response:
                yield response
        except httpx.TimeoutException as error:
            raise _timed_out(timeout) from error
        except (httpx.HTTPError, httpx.StreamError, OSError) as error:
            raise _unreachable(error) from error

    def call(
        self,
        operation: str,
        *,
        path: Mapping[str, str] | None = None,
        query: Query | None = None,
        body: object = None,
        timeout: Timeout = CLIENT_DEFAULT,
        default: Timeout = CLIENT_DEFAULT,
    ) -> Any:
        """Calls an operation and returns its result; raises a `SekishoError` on failure."""
        seconds = self._settings.seconds(timeout, default)
        until = None if seconds is None else time.monotonic() + seconds
        with self.stream(operation, path=path, query=query, body=body, timeout=seconds) as response:
            pieces: list[bytes] = []
            for piece in response.iter_bytes():
                pieces.append(piece)
                if until is not None and time.monotonic() > until:
                    raise _timed_out(seconds)
            return _understood(response, b"".join(pieces))


class AsyncHttp:
    """Sends requests to one server from `asyncio`."""

    def __init__(
        self,
        base_url: str,
        token: AsyncToken | None,
        timeout: float | None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._settings = _Settings(base_url, timeout)
        self.address = self._settings.address
        self._token = token
        self._client = httpx.AsyncClient(transport=transport, trust_env=self._settings.trust_env, limits=_LIMITS)

    async def aclose(self) -> None:
        await self._client.aclose()

    @asynccontextmanager
    async def stream(
        self,
        operation: str,
        *,
        path: Mapping[str, str] | None = None,
        query: Query | None = None,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None,
    ) -> AsyncIterator[httpx.Response]:
        """A response whose body is still arriving. `timeout` is for each piece of it."""
        given = self._token() if callable(self._token) else self._token
        token = await given if inspect.isawaitable(given) else given
        request = self._settings.request(operation, path or {}, query or {}, body, headers or {}, token)
        try:
            async with self._client.stream(**request, timeout=timeout) as response:
                yield response
        except httpx.TimeoutException as error:
            raise _timed_out(timeout) from error
        except (httpx.HTTPError, httpx.StreamError, OSError) as error:
            raise _unreachable(error) from error

    async def call(
        self,
        operation: str,
        *,
        path: Mapping[str, str] | None = None,
        query: Query | None = None,
        body: object = None,
        timeout: Timeout = CLIENT_DEFAULT,
        default: Timeout = CLIENT_DEFAULT,
    ) -> Any:
        """Calls an operation and returns its result; raises a `SekishoError` on failure."""
        seconds = self._settings.seconds(timeout, default)

        async def result() -> Any:
            async with self.stream(operation, path=path, query=query, body=body, timeout=seconds) as response:
                return _understood(response, await response.aread())

        try:
            return await asyncio.wait_for(result(), seconds)
        except asyncio.TimeoutError as error:
            raise _timed_out(seconds) from error


# Every open question waits in a request of its own.
_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=20)
