#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the seed corpus of the fuzzers, tests/data/corpus, from the worked examples of docs/protocol.md.

    make_corpus.py            writes the files
    make_corpus.py --check    exits with 1 if the files are not what would be written
Files whose name begins with "found-" (inputs that once broke something) are left alone.

frame/ holds streams of frames, the first byte of a file saying who sends; messages/ holds bodies, the first byte naming the
decoder (the order of kBodyCodecs in tests/wire/canonical.cpp).
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CORPUS = os.path.join(ROOT, "tests", "data", "corpus")
LINE = re.compile(r"^ *\d+  ((?:[0-9a-f]{2} ?)+)(?:  |$)")


def examples():
    """(title, header, body) of every worked example."""
    with open(os.path.join(ROOT, "docs", "protocol.md"), encoding="utf-8") as document:
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
    with open(os.path.join(ROOT, "tests", "wire", "canonical.cpp"), encoding="utf-8") as source:
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


def existing():
    result = {}
    for folder in ("frame", "messages"):
        path = os.path.join(CORPUS, folder)
        for name in sorted(os.listdir(path)) if os.path.isdir(path) else []:
            if name.startswith("found-"):
                continue
            with open(os.path.join(path, name), "rb") as file:
                result[folder + "/" + name] = file.read()
    return result


def main():
    wanted, found = files(), existing()
    if "--check" in sys.argv:
        wrong = sorted(name for name in set(wanted) | set(found) if wanted.get(name) != found.get(name))
        for name in wrong:
            print("tests/data/corpus/%s is not what tests/wire/make_corpus.py makes of docs/protocol.md" % name)
        return 1 if wrong or not wanted else 0
    for name in set(found) - set(wanted):
        os.unlink(os.path.join(CORPUS, name))
    for name, content in wanted.items():
        os.makedirs(os.path.dirname(os.path.join(CORPUS, name)), exist_ok=True)
        with open(os.path.join(CORPUS, name), "wb") as file:
            file.write(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
