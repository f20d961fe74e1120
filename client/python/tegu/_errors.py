# SPDX-License-Identifier: Apache-2.0
"""The exceptions: one class, and subclasses for what a program usually wants to catch by itself."""


class Error(Exception):
    """A job or call that failed.

    status       "BAD_RANGE", "BUSY", ...: the closed list of the protocol
    field        what is wrong, e.g. "k"; "" if it is nothing in particular
    allowed      what would be accepted, e.g. "1..1000"; may be ""
    retry_after  seconds after which the same request may succeed; None unless the daemon was busy
    """

    def __init__(self, status, message, field="", allowed="", retry_after=None):
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

    def __reduce__(self):
        return (type(self), (self.status, self.message, self.field, self.allowed, self.retry_after))


class Busy(Error):
    """Too much work is queued; try again after .retry_after seconds."""


class DeadlineExceeded(Error):
    """The deadline passed, or the time to wait."""


class Unavailable(Error):
    """No daemon answers, or it was lost for too long."""


class Cancelled(Error):
    """The job was cancelled."""


_CLASSES = {
    "BUSY": Busy,
    "DEADLINE_EXCEEDED": DeadlineExceeded,
    "UNAVAILABLE": Unavailable,
    "CANCELLED": Cancelled,
}


def make(status, message, field="", allowed="", retry_after=None):
    return _CLASSES.get(status, Error)(status, message, field, allowed, retry_after)
