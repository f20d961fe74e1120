# SPDX-License-Identifier: Apache-2.0
"""What a client can ask of the daemon, as functions: each takes a connection, whose `backend` its jobs ask
for and whose `supervised` is the daemon at the other end, and returns what has to be the same whenever it
comes to an end. What is refused ends it with Failed."""

import os
import re
import select
import signal
import socket

import rawclient
from rawclient import Closed, floats, job_body
from store_base import BUFFER_ATTACH, token_of

# What tells a client whether to try again. INTERNAL is for a job whose input was overwritten.
CLEAN = {
    "OUT_OF_MEMORY",
    "BUSY",
    "IO",
    "UNAVAILABLE",
    "BAD_DESCRIPTOR",
    "OVER_QUOTA",
    "TOO_LARGE",
    "DEVICE_LOST",
    "SHUTTING_DOWN",
}
ALL_STATISTICS = sum(1 << statistic for statistic in (rawclient.SUM, rawclient.MAX))


class Failed(Exception):
    """A request was answered with an error; those that need its result are not sent."""


def checked(reply):
    if reply.status != "OK":
        raise Failed(reply)
    return reply


def data(count):
    return floats(*[(i * 37) % 101 - 50.0 for i in range(count)])


def small_job(connection):
    return checked(
        connection.job(
            backend=connection.backend, cols=64, params=rawclient.reduce_params(ALL_STATISTICS), data=data(64)
        )
    ).arrays()


def large_inline_job(connection):
    return checked(
        connection.job(
            backend=connection.backend,
            cols=16000,
            operation=rawclient.TOPK,
            params=rawclient.topk_params(20),
            data=data(16000),
        )
    ).arrays()


def make_buffer(size, seed=1):
    fd = rawclient.memfd(size)
    block = bytes(((i * 7 + seed) % 251) for i in range(4096))
    os.pwrite(fd, block * (size // 4096), 0)
    return fd


def with_buffer(size, use):
    """A path that registers a buffer, uses it and releases it."""

    def path(connection):
        fd = make_buffer(size)
        try:
            handle = checked(connection.register(fd, size, 1)).handle
            result = use(connection, handle)
            checked(connection.named(rawclient.BUFFER_RELEASE, handle))
            return result
        finally:
            os.close(fd)

    return path


def on_buffer(operation, params, kind=rawclient.U8, rows=1, cols=1 << 22):
    return with_buffer(
        1 << 22,
        lambda connection, handle: checked(
            connection.job(
                backend=connection.backend,
                operation=operation,
                kind=kind,
                rows=rows,
                cols=cols,
                params=params,
                handle=handle,
            )
        ).arrays(),
    )


def promised(connection, handle):
    """Two jobs on the same generation: a GPU that has copied it for the first uses the copy for the
    second."""
    return [
        checked(
            connection.job(
                backend=connection.backend,
                kind=rawclient.U8,
                cols=1 << 20,
                params=rawclient.reduce_params(ALL_STATISTICS),
                handle=handle,
                generation=1,
            )
        ).arrays()
        for _ in range(2)
    ]


def into_output(connection):
    """An entropy map from one buffer into another."""
    side, size = 256, 65536
    inputs = make_buffer(size)
    try:
        source = checked(connection.register(inputs, size, 0)).handle
        made = checked(connection.create(4 * size))
        checked(
            connection.job(
                backend=connection.backend,
                operation=rawclient.ENTROPY_MAP,
                kind=rawclient.U8,
                rows=side,
                cols=side,
                params=rawclient.entropy_params(5, 5, 256),
                handle=source,
                out=made.handle,
                out_capacity=4 * size,
            )
        )
        content = os.pread(made.fds[0], 4 * size, 0)
        made.close()
        checked(connection.named(rawclient.BUFFER_RELEASE, made.handle))
        return content
    finally:
        os.close(inputs)


def freeze(connection, handle):
    """One that is refused leaves nothing under way that the next would have to wait for."""
    reply = connection.named(rawclient.BUFFER_FREEZE, handle)
    if reply.status != "OK":
        again = connection.named(rawclient.BUFFER_FREEZE, handle)
        assert again.status == "OK", "%s, then %s: %s" % (reply.status, again.status, again.message)
    checked(reply)


def buffer_life(connection):
    """Made, filled, used, frozen, used again, listed, released."""
    size = 1 << 20
    made = checked(connection.create(size))
    os.pwrite(made.fds[0], data(1 << 18), 0)
    made.close()
    job = dict(
        backend=connection.backend,
        cols=1 << 18,
        params=rawclient.reduce_params(ALL_STATISTICS),
        handle=made.handle,
    )
    results = [checked(connection.job(**job)).arrays()]
    freeze(connection, made.handle)
    results.append(checked(connection.job(**job)).arrays())
    checked(connection.request(rawclient.BUFFER_LIST))
    checked(connection.named(rawclient.BUFFER_RELEASE, made.handle))
    return results


def several_jobs(connection):
    """Eight at once, small and large, in one message each."""
    large = data(16000)
    ids = [
        connection.submit(
            rawclient.JOB,
            job_body(
                backend=connection.backend,
                cols=16000 if i % 2 else 64,
                params=rawclient.reduce_params(ALL_STATISTICS),
                data=large if i % 2 else large[:256],
            ),
        )
        for i in range(8)
    ]
    replies = [connection.wait(request_id) for request_id in ids]
    return [checked(reply).arrays() for reply in replies]


def cancelled_job(connection):
    size = 1 << 22
    fd = make_buffer(size)
    try:
        handle = checked(connection.register(fd, size, 0)).handle
        made = checked(connection.create(4 * size))
        made.close()
        job = connection.submit(
            rawclient.JOB,
            job_body(
                rawclient.ENTROPY_MAP,
                rawclient.U8,
                2048,
                2048,
                rawclient.entropy_params(63, 63, 256),
                handle=handle,
                out=made.handle,
                out_capacity=4 * size,
                backend=connection.backend,
            ),
        )
        cancel = connection.cancel(job)
        if cancel.status not in ("OK", "NOT_FOUND"):
            raise Failed(cancel)  # the job goes on, until the connection ends
        reply = connection.wait(job)
        if reply.status not in CLEAN | {"CANCELLED", "OK"}:
            raise Failed(reply)
        return "over"
    finally:
        os.close(fd)


def leaves_all_behind(connection):
    fd = make_buffer(1 << 20)
    try:
        handle = checked(connection.register(fd, 1 << 20, 0)).handle
        checked(connection.create(1 << 16)).close()
        connection.submit(
            rawclient.JOB,
            job_body(backend=connection.backend, kind=rawclient.U8, cols=1 << 20, handle=handle),
        )
        connection.close()
    finally:
        os.close(fd)


def report(kind, body=b""):
    def path(connection):
        checked(connection.request(kind, body))

    return path


def scrape(connection):
    """Whole, by its length: which metrics there are depends on what has happened, as their values do."""
    with socket.socket(socket.AF_UNIX) as scraper:
        scraper.settimeout(connection.socket.gettimeout())
        scraper.connect(connection.supervised.scrapes)
        scraper.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = b"".join(iter(lambda: scraper.recv(1 << 16), b""))
    if not answer:
        raise Closed()
    assert answer.startswith(b"HTTP/1.1 200 "), answer[:100]
    header, body = answer.split(b"\r\n\r\n", 1)
    if len(body) != int(re.search(rb"Content-Length: (\d+)", header).group(1)):
        raise Closed()  # which a scraper sees by the length
    assert b"\ntegu_" in body and body.endswith(b"\n"), body[:100]
    return "whole"


def reload_settings(connection):
    connection.supervised.daemon.process.send_signal(signal.SIGHUP)
    return small_job(connection)


PATHS = {
    "connect": small_job,  # where the connection itself is part of the path
    "small job": small_job,
    "large job in a message": large_inline_job,
    "reduce on a buffer": on_buffer(rawclient.REDUCE, rawclient.reduce_params(ALL_STATISTICS)),
    "top-k on a buffer": on_buffer(rawclient.TOPK, rawclient.topk_params(100)),
    "quantile on a buffer": on_buffer(rawclient.QUANTILE, rawclient.quantile_params((0.5, 0.9))),
    "histogram on a buffer": on_buffer(rawclient.HISTOGRAM, rawclient.histogram_params(64)),
    "entropy on a buffer": on_buffer(rawclient.ENTROPY, rawclient.entropy_of_levels_params()),
    "two jobs on a promised buffer": with_buffer(1 << 20, promised),
    "entropy map into a buffer": into_output,
    "life of a buffer": buffer_life,
    "eight jobs at once": several_jobs,
    "cancel": cancelled_job,
    "disconnect": leaves_all_behind,
    "PING": report(rawclient.PING),
    "INFO": report(rawclient.INFO),
    "STATS": report(rawclient.STATS),
    "HEALTH as JSON": report(rawclient.HEALTH, b"\0" * 8),
    "HEALTH as metrics": report(rawclient.HEALTH, b"\2" + b"\0" * 7),
    "KERNELS": report(12, b"\0" * 8),
    "scrape": scrape,
    "reload": reload_settings,
}


def until(connection, condition, what):
    """Waits for what the store does in rounds, unless it has said why it does not."""

    def over():
        if select.select([connection.socket], [], [], 0)[0] and not connection.socket.recv(
            1, socket.MSG_PEEK
        ):
            raise Closed()  # and with it the buffer
        return condition() or not connection.supervised.daemon.alive() or connection.supervised.daemon.said()

    rawclient.Daemon.wait_for(over, what, connection.socket.gettimeout())


def end_kept(connection, handle):
    manager = connection.supervised.manager
    checked(connection.named(rawclient.BUFFER_RELEASE, handle))
    until(connection, lambda: manager.buffers() == 0, "the end of a buffer that is kept")


def kept_buffer(connection):
    """Registered, kept, frozen, used, released and no longer kept. An answer without a token is one too: then
    it is not kept."""
    manager, fd = connection.supervised.manager, make_buffer(4096)
    try:
        reply = checked(connection.register(fd, 4096))
        if any(reply.body[16:]):
            until(connection, lambda: manager.buffers() == 1, "a buffer to be kept")
        checked(connection.named(rawclient.BUFFER_FREEZE, reply.handle))
        result = checked(
            connection.job(
                cols=1024, params=rawclient.reduce_params(ALL_STATISTICS), handle=reply.handle, generation=1
            )
        ).arrays()
        end_kept(connection, reply.handle)
        return result
    finally:
        os.close(fd)


def buffer_that_comes_back(connection):
    handle = checked(connection.request(BUFFER_ATTACH, token_of(1))).handle
    result = checked(
        connection.job(cols=1024, params=rawclient.reduce_params(ALL_STATISTICS), handle=handle)
    ).arrays()
    end_kept(connection, handle)
    return result


KEPT_PATHS = {
    "small job": small_job,
    "a buffer that is kept": kept_buffer,
    "a buffer that comes back": buffer_that_comes_back,
    "reload": reload_settings,
}
