#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the seeds of the fuzzers of scrapes and of the descriptor store's table,
tests/data/corpus/{scrape,table}. How it is called: tests/seeds.py."""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import seeds  # noqa: E402

PROMETHEUS = (
    b"GET /metrics HTTP/1.1\r\nHost: localhost:9469\r\nUser-Agent: Prometheus/2.42.0\r\n"
    b"Accept: application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1\r\n"
    b"Accept-Encoding: gzip\r\nX-Prometheus-Scrape-Timeout-Seconds: 10\r\n\r\n"
)
REQUESTS = {
    "prometheus": PROMETHEUS,
    "pipelined": b"GET /metrics?name=x HTTP/1.0\r\n\r\n" + PROMETHEUS,
    "body": b"GET /metrics HTTP/1.1\r\nContent-Length: 9\r\nConnection: close\r\n\r\nsome body",
    "chunked": (
        b"POST /metrics HTTP/1.1\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n"
        b"\r\n1\r\nx\r\n0\r\n\r\n"
    ),
    "upgrade": (
        b"HEAD / HTTP/1.1\r\nUpgrade: h2c, websocket\r\nConnection: upgrade\r\n"
        b"Proxy-Connection: keep-alive\r\n\r\n"
    ),
    "folded": b"OPTIONS * HTTP/1.1\r\nX: a\r\n b\r\n\tc\r\nContent-Length: -1\r\n\r\n",
    "not-http": b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03",
    "too-long": b"GET /metrics HTTP/1.1\r\nX: " + b"x" * 8200 + b"\r\n\r\n",
}
TOKEN = bytes(range(1, 17))


def checksum(data):
    result = 0xCBF29CE484222325
    for byte in data:
        result = (result ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return struct.pack("<Q", result)


def header(records, version=1, record_bytes=80, magic=b"tegudtab", spare=b"\0" * 32):
    head = struct.pack("<8sHHIQ", magic, version, record_bytes, records, 7) + spare
    return head + checksum(head)


def record(number, sequence, more=b"", token=TOKEN, size=4096, access=1):
    body = (
        struct.pack("<QQQQQ16sIIBBHI", number, sequence, size, 3, 77, token, 1000, 4242, access, 1, 0, 0)
        + more
    )
    return body + checksum(body)


EMPTY = b"\0" * 80
TABLES = {
    "empty": header(2) + EMPTY * 2,
    "two": header(3) + record(1, 1) + EMPTY + record(2, 5),
    "replaced": header(3) + record(4, 9) + record(4, 8) + record(3, 10, access=0),
    "half-written": header(2) + record(1, 1)[:40] + b"\0" * 40 + record(2, 2),
    "no-buffer": header(3) + record(1, 1, token=b"\0" * 16) + record(2, 2, size=0) + record(3, 3, access=9),
    "longer-records": header(2, record_bytes=96) + record(1, 1, b"\0" * 16) + record(2, 2, b"x" * 16),
    "newer": header(1, version=2) + record(1, 1),
    "lies": header(4096) + record(1, 1),
    "other": header(1, magic=b"tegudtob") + record(1, 1),
}


def files():
    """Path in the corpus -> content."""
    result = {"scrape/" + name: b"\x80" + request for name, request in REQUESTS.items()}
    for name, table in TABLES.items():
        result["table/" + name] = b"\0" + table
    result["table/two-summed"] = b"\3" + TABLES["two"]
    return result


if __name__ == "__main__":
    seeds.main(files())
