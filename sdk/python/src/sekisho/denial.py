"""Denials that are made here, because the server gave no answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

from .errors import SekishoError

if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypeAlias

    from ._generated.types import PermissionAllow, PermissionDeny


class LocalDenial(TypedDict):
    """The call may not run, because nobody could be asked."""

    behavior: Literal["deny"]
    message: str
    """The reason, for the model and for whoever reads its output."""
    code: Literal["unreachable", "timed_out", "unauthenticated", "refused", "failed"]
    interrupt: NotRequired[bool]


Decision: TypeAlias = "PermissionAllow | PermissionDeny | LocalDenial"
"""Whether a call may run; also when the server could not be asked."""


def denial(error: BaseException, address: str) -> LocalDenial:
    """The denial for a failure. The text never contains the token."""
    if not isinstance(error, SekishoError):
        return _deny("failed", f"The call could not be put to sekisho ({_reason(error)}), so it did not run.")
    if error.code == "Unreachable":
        why = f"sekisho cannot be reached at {address} ({error.message}), so the call did not run."
        return _deny("unreachable", f"{why} Start the server with `sekisho serve`, or correct the address.")
    if error.code == "TimedOut":
        return _deny("timed_out", f"sekisho at {address} did not respond in time ({error.message}), so the call did not run.")
    hint = f" Hint: {error.hint}." if error.hint else ""
    if error.status == 401:
        return _deny("unauthenticated", f"sekisho at {address} does not accept the token ({error.message}), so the call did not run.{hint}")
    return _deny("refused", f"sekisho at {address} refused the question ({error.message}), so the call did not run.{hint}")


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _deny(code: Literal["unreachable", "timed_out", "unauthenticated", "refused", "failed"], message: str) -> LocalDenial:
    return {"behavior": "deny", "message": message, "code": code}
