# SPDX-License-Identifier: Apache-2.0
"""memfds of any kind, sealed and with holes, for tests of buffers."""

import ctypes
import fcntl
import os

F_ADD_SEALS, F_GET_SEALS = 1033, 1034
F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE = 1, 2, 4, 8
MFD_CLOEXEC, MFD_ALLOW_SEALING, MFD_HUGETLB = 1, 2, 4
FALLOC_FL_KEEP_SIZE, FALLOC_FL_PUNCH_HOLE = 1, 2

LIBC = ctypes.CDLL(None, use_errno=True)


def memfd(size=0, flags=MFD_CLOEXEC | MFD_ALLOW_SEALING, whole=True):
    """A memfd of `size` bytes; not sparse unless `whole` is False."""
    fd = LIBC.memfd_create(b"test", flags)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "memfd_create")
    if size:
        os.ftruncate(fd, size)
        if whole:
            os.posix_fallocate(fd, 0, size)
    return fd


def punch_hole(fd, offset, size):
    mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE
    if LIBC.fallocate(fd, mode, ctypes.c_long(offset), ctypes.c_long(size)) != 0:
        raise OSError(ctypes.get_errno(), "fallocate")


def seals(fd):
    return fcntl.fcntl(fd, F_GET_SEALS)


def add_seals(fd, which):
    fcntl.fcntl(fd, F_ADD_SEALS, which)
