"""Errors of the server, and the reasons why it could not be reached."""

from __future__ import annotations

import json
import math
from typing import Any


class SekishoError(Exception):
    """An error from the server, or the reason why it could not be reached."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int = 0,
        hint: str | None = None,
        field: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        """Stable code for programs: `NotFound`, `Conflict`, …; `Unreachable`, `TimedOut` and `Cancelled` without a response."""
        self.status = status
        """The HTTP status; 0 without a response."""
        self.hint = hint
        """What to do, if the server knows."""
        self.field = field
        """The field of the request that is wrong, if it is a field."""
        self.retry_after = retry_after
        """Seconds to wait before a retry, if the server says so."""

    @property
    def passing(self) -> bool:
        """Whether the error is transient: the same request may succeed later."""
        if self.status == 0:
            return self.code in ("Unreachable", "TimedOut")
        return self.status in (408, 429) or self.status >= 500

    def __repr__(self) -> str:
        return f"SekishoError(code={self.code!r}, status={self.status}, message={self.message!r})"


def unreachable(message: str) -> SekishoError:
    """The server did not respond, or its response broke off."""
    return SekishoError(message, code="Unreachable")


def error_of(status: int, reason: str, retry_after: str | None, content: bytes) -> SekishoError:
    """The error in an error response."""
    text = content.decode("utf-8", "replace")
    seconds = _seconds(retry_after)
    detail = _detail(text)
    if detail is not None:
        return SekishoError(
            detail["message"],
            code=detail["code"],
            status=status,
            hint=_text(detail.get("hint")),
            field=_text(detail.get("field")),
            retry_after=seconds,
        )
    # Not from sekisho: most likely from a proxy in between.
    message = text.strip()[:200] or reason or f"the server said {status}"
    return SekishoError(message, code=f"Http{status}", status=status, retry_after=seconds)


def _detail(text: str) -> dict[str, Any] | None:
    try:
        body: Any = json.loads(text)
    except ValueError:
        return None
    error: Any = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict) or _text(error.get("code")) is None or _text(error.get("message")) is None:
        return None
    return error


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _seconds(said: str | None) -> float | None:
    try:
        seconds = float(said or "")
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
