"""Delays between retries."""

from __future__ import annotations

import random
from collections.abc import Callable


class Backoff:
    """Exponential back-off.

    Each delay is random between half of it and all of it, so that clients disconnected together do not reconnect
    together, and none reconnects at once. Seconds everywhere.
    """

    def __init__(self, first: float = 0.25, longest: float = 10.0, random: Callable[[], float] = random.random) -> None:
        self._first = first
        self._longest = longest
        self._random = random
        self._tries = 0

    @property
    def tries(self) -> int:
        """Number of delays since the last success."""
        return self._tries

    def next(self, at_least: float = 0.0) -> float:
        """The next delay; at least as long as the server asks for."""
        most = min(self._longest, self._first * 2.0 ** min(self._tries, 30))
        self._tries += 1
        return max(at_least, most / 2 + most / 2 * self._random())

    def reset(self) -> None:
        """Resets the delay after a success."""
        self._tries = 0

    def suggest(self, first: float) -> None:
        """Sets the first delay, as the server asks."""
        self._first = min(max(first, 0.01), self._longest)
