# SPDX-License-Identifier: Apache-2.0
"""Lets the n-th call of a kind fail, n = 1, 2, 3 ... until a path makes no n-th call: faults.h says how."""

import collections
import errno
import mmap
import os
import re
import struct
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
MOST_CALLS = 2000  # of a kind on one path: more is a path that never ends


def kinds():
    with open(os.path.join(FOLDER, "faults.h"), encoding="utf-8") as header:
        return [None] + re.findall(r"^    X\((\w+)\)", header.read(), re.M)


# What each call may say on a Linux system that has too little of something, or is interrupted.
ERRORS = {
    "allocate": ["ENOMEM"],
    "thread": ["EAGAIN"],
    "accept4": ["EMFILE", "ECONNABORTED"],
    "epoll_create1": ["EMFILE"],
    "epoll_ctl": ["ENOMEM", "ENOSPC"],
    "epoll_wait": ["EINTR"],
    "eventfd": ["EMFILE"],
    "timerfd_create": ["EMFILE"],
    "timerfd_settime": ["EINVAL"],
    "recvmsg": ["EAGAIN", "EINTR", "ENOMEM", "ECONNRESET"],
    "recv": ["EINTR", "ENOMEM"],
    "sendmsg": ["EAGAIN", "EINTR", "ENOBUFS", "EPIPE"],
    "send": ["EAGAIN", "EINTR", "ENOBUFS", "EPIPE"],
    "getsockopt": ["ENOBUFS"],
    "setsockopt": ["ENOMEM"],
    "poll": ["EINTR", "ENOMEM"],
    "read": ["EINTR", "EIO"],
    "write": ["EIO"],
    "open": ["EMFILE", "EINTR"],
    "openat": ["EMFILE", "EACCES"],
    "fstat": ["ENOMEM"],
    "fcntl": ["EINVAL", "EMFILE"],
    "ftruncate": ["EINTR", "EFBIG"],
    "fallocate": ["EINTR", "ENOSPC"],
    "mmap": ["ENOMEM", "EAGAIN"],
    "madvise": ["ENOMEM", "EAGAIN"],
    "memfd_create": ["EMFILE", "ENOMEM"],
    "syscall": ["ENOSYS", "ENOMEM"],
    "socket": ["EMFILE"],
    "connect": ["EINTR", "EAGAIN"],
    "ppoll": ["EINTR"],
    "sendto": ["EAGAIN", "EINTR", "ENOBUFS", "ECONNREFUSED"],
    "shutdown": ["ENOTCONN"],
    "fstatfs": ["ENOMEM"],
    "pread": ["EIO", "EINTR"],
    "getrandom": ["EAGAIN"],
    "pipe2": ["EMFILE"],
    "munmap": ["ENOMEM"],
    "mremap": ["ENOMEM"],
    "mprotect": ["ENOMEM"],
    "inotify_init1": ["EMFILE"],
    "inotify_add_watch": ["ENOSPC", "ENOMEM"],
}
FIRED = (1 << 64) - 1


class Faults:
    """The control file of one program."""

    def __init__(self):
        self.kinds = kinds()
        handle, self.path = tempfile.mkstemp(prefix="tegu-faults-")
        os.ftruncate(handle, 4096)
        self.memory = mmap.mmap(handle, 4096)
        self.order = memoryview(self.memory)[:8].cast("Q")  # written in one piece
        os.close(handle)

    def close(self):
        self.order.release()
        self.memory.close()
        os.unlink(self.path)

    def arm(self, kind, countdown, error):
        self.order[0] = self.kinds.index(kind) | getattr(errno, error) << 16 | countdown << 32

    def disarm(self):
        """Whether the call was made, and so failed."""
        fired = self.order[0] == FIRED
        self.order[0] = 0
        return fired

    def counts(self):
        """Kind -> calls so far."""
        numbers = struct.unpack_from("<%dI" % len(self.kinds), self.memory, 8)
        return {kind: number for kind, number in zip(self.kinds, numbers) if kind and number}


class Report:
    """How many faults of each kind on each path, and how they ended."""

    def __init__(self):
        self.outcomes = collections.OrderedDict()  # (path, kind) -> Counter of words

    def add(self, path, kind, outcome):
        self.outcomes.setdefault((path, kind), collections.Counter())[outcome] += 1

    def faults(self):
        return sum(sum(counter.values()) for counter in self.outcomes.values())

    def table(self, column):
        """Lines of Markdown; column 0: by path, 1: by kind."""
        rows = collections.OrderedDict()
        for key, counter in self.outcomes.items():
            rows.setdefault(key[column], collections.Counter()).update(counter)
        words = sorted({word for counter in rows.values() for word in counter})
        lines = [
            "| %s | faults | %s |" % (("path", "call")[column], " | ".join(words)),
            "|---|---:|" + "---:|" * len(words),
        ]
        for name, counter in rows.items():
            lines.append(
                "| %s | %d | %s |"
                % (name, sum(counter.values()), " | ".join(str(counter[word] or "") for word in words))
            )
        return lines


def every_fault(faults, used, wanted=None):
    """(kind, error) for each kind of call that `used` counts; `wanted`: those alone."""
    for kind in faults.kinds[1:]:
        if used.get(kind) and (wanted is None or kind in wanted):
            for error in ERRORS[kind]:
                yield kind, error
