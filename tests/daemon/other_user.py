# SPDX-License-Identifier: Apache-2.0
"""A client in a process of its own, as root of any user: for tests of what users are to each other."""

import os

import rawclient
from rawclient import Connection


NOBODY = 65534


def sum_job(connection, **fields):
    return connection.job(params=rawclient.reduce_params(), data=rawclient.floats(1, 2, 3, 4), **fields)


class OtherUser:
    """A process of that user, with a connection. do("expression") is evaluated there, with the connection as
    `c`."""

    def __init__(self, path, uid, features=3):
        requests, self.to_child = os.pipe()
        self.from_child, replies = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(self.to_child), os.close(self.from_child)
                if uid != os.getuid():
                    os.setgroups([])
                    os.setgid(uid)
                    os.setuid(uid)
                c = Connection(path, features=features)
                with os.fdopen(requests) as lines:
                    for line in iter(lines.readline, "\n"):
                        names = dict(vars(rawclient), c=c, sum_job=sum_job)
                        os.write(
                            replies, repr(eval(line, names)).encode()[:4000].replace(b"\n", b" ") + b"\n"
                        )
            except BaseException as error:
                os.write(replies, b"failed: " + repr(error).encode() + b"\n")
            finally:
                os._exit(0)
        os.close(requests), os.close(replies)
        self.reader = os.fdopen(self.from_child)

    def do(self, expression):
        os.write(self.to_child, expression.encode() + b"\n")
        answer = self.reader.readline()
        assert not answer.startswith("failed: "), answer
        return answer

    def end(self):
        os.write(self.to_child, b"\n")  # not by closing it: processes that were started later hold it, too
        os.close(self.to_child)
        self.reader.close()
        os.waitpid(self.pid, 0)
