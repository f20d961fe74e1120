#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the seeds of the fuzzers of formats and of tegu top, tests/data/corpus/{npy,pgm,png,jpeg,tiff,zip,
top}. How it is called: tests/seeds.py."""

import json
import os
import sys
import zipfile

from files import npy, npz, png, tif

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import seeds  # noqa: E402

DATA = os.path.join(seeds.ROOT, "tests", "data")


def read(path):
    with open(os.path.join(DATA, path + ".json"), encoding="utf-8") as text:
        return json.load(text)


def image(name):
    with open(os.path.join(DATA, "images", name), "rb") as content:
        return content.read()


def zip_files():
    """Archives as np.savez and np.savez_compressed write them, and some that are damaged."""
    array = npy("<f4", (3,), b"\0" * 12)
    stored, deflated = npz({"a": array, "b": array}), npz({"a": array}, zipfile.ZIP_DEFLATED)
    return {
        "zip/stored": stored,
        "zip/deflated": deflated,
        "zip/comment": deflated[:-2] + b"\x02\0hi",
        "zip/truncated": stored[:-5],
        "zip/empty": npz({}),
        "zip/bomb": deflated.replace(b"\x8c\0\0\0", b"\xff\xff\xff\xfe"),
        "zip/encrypted": deflated.replace(b"\x14\0\0\0\x08\0", b"\x14\0\x01\0\x08\0"),
        "zip/no-local-header": stored.replace(b"PK\x03\x04", b"PK\x03\x05"),
    }


def image_files():
    """Of .jpg and .tif: whole ones, then such as lie about their size."""
    grey, colour = image("grey.jpg"), image("colour.jpg")
    lies = {256: 2000000000, 257: 2000000000}
    return {
        "jpeg/grey": grey,
        "jpeg/colour": colour,
        "jpeg/progressive": image("progressive.jpg"),
        "jpeg/cmyk": image("cmyk.jpg"),
        "jpeg/truncated": colour[:-200],
        "jpeg/lies": grey.replace(b"\0\x18\0\x28", b"\xff\xff\xff\xff"),
        "jpeg/other-size": grey.replace(b"\0\x18\0\x28", b"\0\x18\0\x29"),
        "tiff/grey-8": tif(3, 2, b"abcdef"),
        "tiff/grey-16-big-endian": tif(2, 1, b"abcd", bits=16, order=">"),
        "tiff/float-strips": tif(2, 2, b"\0" * 16, bits=32, kind=3, rows_per_strip=1),
        "tiff/rgb": tif(2, 1, b"abcdef", samples=3, photometric=2),
        "tiff/rgba-deflate": tif(1, 2, b"abcdefgh", samples=4, photometric=2, deflate=True),
        "tiff/tiles": tif(17, 3, b"x" * 512, tile=(16, 16)),
        "tiff/lzw": image("lzw.tif"),
        "tiff/packbits": image("packbits.tif"),
        "tiff/lies": tif(3, 2, b"abcdef", claims=lies),
        "tiff/lies-deflate": tif(3, 2, b"abcdef", deflate=True, claims=lies),
        "tiff/huge-tile": tif(16, 16, b"x" * 256, tile=(16, 16), claims={322: 1 << 20, 323: 1 << 20}),
        "tiff/huge-strip": tif(3, 2, b"abcdef", claims={279: 0xFFFFFFFF}),
        "tiff/no-rows-per-strip": tif(3, 2, b"abcdef", claims={278: 0}),
    }


def trimmed(value):
    """With the first element of each list: short seeds are tried faster."""
    if isinstance(value, dict):
        return {name: trimmed(member) for name, member in value.items()}
    return [trimmed(element) for element in value[:1]] if isinstance(value, list) else value


def answer(health):
    """What a daemon answers to HEALTH."""
    return json.dumps(
        dict({"state": "ok", "reasons": []}, **health), separators=(",", ":"), sort_keys=True
    ).encode()


def top_files():
    """Of fuzz_top.cpp: a screen and keys, then answers. Whole ones, and each part alone."""
    board, daemon = trimmed(read("boards/agx-orin")), trimmed(read("top/daemon"))
    before = answer(
        {"daemon": {name: daemon[name] for name in ("pid", "uptime_seconds", "jobs", "users", "clients")}}
    )
    result = {
        "top/board": b"\x0e\n" + answer(board),
        "top/daemon": b"\x0bsr\n" + answer({"daemon": daemon}),
        "top/names": b"\x0bN\n"
        + answer(
            {
                "daemon": {
                    "clients": [
                        {"pid": client["pid"], "name": client["name"]}
                        for client in read("top/daemon")["clients"]
                    ]
                }
            }
        ),
        "top/reasons": b"\x01M\x81\n" + answer({"state": "failing", "reasons": read("top/failing")[:2]}),
        "top/grown": b"\x00uJ\n" + before + b"@" + before.replace(b'"jobs_total":', b'"jobs_total":1'),
        "top/restarted": b"\x05p\n" + before + b"@" + before.replace(b'"pid":812', b'"pid":813'),
        "top/lost": b"\x0f+\n" + answer({}) + b"@{",
        "top/left-out": b"\x02?\n" + b'{"state":"failing","left_out":"all values"}',
    }
    for name in board:
        result["top/board-" + name] = b"\x08\n" + answer({name: board[name]})
    for name in daemon:
        result["top/daemon-" + name] = b"\x08\n" + answer({"daemon": {name: daemon[name]}})
    return result


def files():
    """Relative path -> content."""
    return {
        "npy/vector-f4": npy("<f4", (3,), b"\0" * 12),
        "npy/matrix-u1-fortran": npy("|u1", (2, 3), b"abcdef", fortran=True),
        "npy/scalar-i8-version-2": npy("<i8", (), b"\0" * 8, version=2),
        "npy/empty-f2-version-3": npy("<f2", (0, 4), b"", version=3),
        "npy/big-endian": npy(">f8", (1,), b"\0" * 8),
        "npy/lies": npy("<f8", (4294967296, 4294967296), b""),
        "pgm/binary-8": b"P5\n# a comment\n3 2\n255\nabcdef",
        "pgm/binary-16": b"P5 1 2 65535\nabcd",
        "pgm/text": b"P2\n3 2\n999\n0 1 2 7 999 5\n",
        "pgm/text-8": b"P2 2 1 15 15\t0",
        "pgm/lies": b"P5 4294967295 4294967295 255\nx",
        "pgm/colour-8": b"P6 2 1 255\nabcdef",
        "pgm/colour-16": b"P6 1 1 65535\nabcdef",
        "pgm/colour-text": b"P3\n1 2\n15\n0 1 2 7 15 5\n",
        "pgm/colour-lies": b"P6 4294967295 2147483647 255\nx",
        "png/grey-8": png(3, 2, 8, 0, b"abcdef"),
        "png/grey-1": png(9, 2, 1, 0, b"\xaa\x80\x55\x00"),
        "png/grey-16": png(2, 1, 16, 0, b"\x01\x02\xff\xfe"),
        "png/rgb": png(2, 1, 8, 2, b"abcdef"),
        "png/rgba-16": png(1, 1, 16, 6, b"abcdefgh"),
        "png/palette-2": png(4, 1, 2, 3, b"\x1b", palette=b"\0\0\0\xff\0\0\0\xff\0\0\0\xff"),
        "png/lies": png(1000000, 1000000, 8, 0, b""),
        **image_files(),
        **zip_files(),
        **top_files(),
    }


if __name__ == "__main__":
    seeds.main(files(), loose=("png/", "tiff/", "zip/"))  # how zlib packs is its own affair
