#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the seed corpus of the fuzzers, tests/data/corpus, from the worked examples of docs/protocol.md. How
it is called: tests/seeds.py.

frame/ holds streams of frames, the first byte of a file saying who sends; messages/ holds bodies, the first
byte naming the decoder (the order of kBodyCodecs in tests/wire/canonical.cpp)."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import seeds  # noqa: E402

LINE = re.compile(r"^ *\d+  ((?:[0-9a-f]{2} ?)+)(?:  |$)")


def examples():
    """(title, header, body) of every worked example."""
    with open(os.path.join(seeds.ROOT, "docs", "protocol.md"), encoding="utf-8") as document:
        text = document.read()
    for title, block in re.findall(r"^```hex (.*)\n((?:.*\n)*?)```", text, re.M):
        parts = [bytearray(), bytearray()]
        part = 0
        for line in block.splitlines():
            if line == "body":
                part = 1
            else:
                parts[part] += bytes.fromhex(LINE.match(line).group(1))
        yield title, bytes(parts[0]), bytes(parts[1])


def codec_names():
    with open(os.path.join(seeds.ROOT, "tests", "wire", "canonical.cpp"), encoding="utf-8") as source:
        return re.findall(r'^    \{"([^"]+)", check', source.read(), re.M)


def files():
    """Relative path -> content."""
    codecs = codec_names()
    result, streams = {}, {0: b"", 1: b""}
    for title, header, body in examples():
        stem = re.sub(r"[^a-z0-9]+", "-", title.lower())
        sender = 0 if "request" in title else 1
        streams[sender] += header + body
        result["frame/" + stem] = bytes([sender]) + header + body
        name = title.split(":")[0].replace("EVENT", "error reply").replace("STATS", "INFO")
        if name in codecs:
            result["messages/" + stem] = bytes([codecs.index(name)]) + body
    result["frame/all-requests"] = b"\0" + streams[0]
    result["frame/all-replies"] = b"\1" + streams[1]
    return result


if __name__ == "__main__":
    seeds.main(files())
