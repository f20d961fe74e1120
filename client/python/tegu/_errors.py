# SPDX-License-Identifier: Apache-2.0
"""The exceptions: one class, and subclasses for what a program usually wants to catch by itself. Each is also
the exception of Python's own that programs expect there."""

import concurrent.futures
import sys
from typing import Any, Dict, Optional, Tuple, Type


class Error(Exception):
    """A job or call that failed.

    - status: "BAD_RANGE", "BUSY", ...: the closed list of the protocol
    - field: what is wrong, e.g. "k"; "" if it is nothing in particular
    - allowed: what would be accepted, e.g. "1..1000"; may be ""
    - retry_after: seconds after which the same request may succeed; None unless the daemon was busy
    """

    def __init__(
        self,
        status: str,
        message: str,
        field: str = "",
        allowed: str = "",
        retry_after: Optional[float] = None,
    ) -> None:
        text = message + (
            " (%s: allowed is %s)" % (field, allowed)
            if field and allowed
            else " (%s)" % field
            if field
            else ""
        )
        Exception.__init__(self, "%s: %s" % (status, text))
        self.status = status
        self.message = message
        self.field = field
        self.allowed = allowed
        self.retry_after = retry_after

    def __reduce__(self) -> Tuple[Any, ...]:
        return (type(self), (self.status, self.message, self.field, self.allowed, self.retry_after))


if sys.version_info >= (3, 11):
    _Timeout = TimeoutError
else:

    class _Timeout(TimeoutError, concurrent.futures.TimeoutError):
        """Before Python 3.11 these are two classes."""


class Busy(Error):
    """Too much work is queued; try again after .retry_after seconds."""


class DeadlineExceeded(Error, _Timeout):
    """The deadline passed, or the time to wait."""


class Unavailable(Error, ConnectionError):
    """No daemon answers, or it was lost for too long."""


class Cancelled(Error):
    """The job was cancelled."""


class BadRange(Error, ValueError):
    """A value that is not allowed: BAD_RANGE, or EMPTY_INPUT."""


class WrongType(Error, TypeError, ValueError):
    """A value of a type that is not allowed, or an element type that is not served."""


_CLASSES: Dict[str, Type[Error]] = {
    "BUSY": Busy,
    "DEADLINE_EXCEEDED": DeadlineExceeded,
    "UNAVAILABLE": Unavailable,
    "CANCELLED": Cancelled,
    "BAD_RANGE": BadRange,
    "EMPTY_INPUT": BadRange,
}


def make(
    status: str, message: str, field: str = "", allowed: str = "", retry_after: Optional[float] = None
) -> Error:
    return _CLASSES.get(status, Error)(status, message, field, allowed, retry_after)


def wrong_type(status: str, message: str, field: str, allowed: str = "") -> Error:
    return WrongType(status, message, field, allowed)
