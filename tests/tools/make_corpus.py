#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the seeds of the format fuzzers, tests/data/corpus/{npy,pgm,png}.

    make_corpus.py            writes the files
    make_corpus.py --check    exits with 1 if the files are not what would be written
Files whose name begins with "found-" (inputs that once broke something) are left alone.
"""
import os
import sys

from files import npy, png

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CORPUS = os.path.join(ROOT, "tests", "data", "corpus")


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
        "png/grey-8": png(3, 2, 8, 0, b"abcdef"),
        "png/grey-1": png(9, 2, 1, 0, b"\xaa\x80\x55\x00"),
        "png/grey-16": png(2, 1, 16, 0, b"\x01\x02\xff\xfe"),
        "png/rgb": png(2, 1, 8, 2, b"abcdef"),
        "png/rgba-16": png(1, 1, 16, 6, b"abcdefgh"),
        "png/palette-2": png(4, 1, 2, 3, b"\x1b", palette=b"\0\0\0\xff\0\0\0\xff\0\0\0\xff"),
        "png/lies": png(1000000, 1000000, 8, 0, b""),
    }


def existing():
    result = {}
    for folder in ("npy", "pgm", "png"):
        path = os.path.join(CORPUS, folder)
        for name in os.listdir(path) if os.path.isdir(path) else []:
            if not name.startswith("found-"):
                with open(os.path.join(path, name), "rb") as seed:
                    result[folder + "/" + name] = seed.read()
    return result


def main():
    wanted = files()
    if "--check" in sys.argv[1:]:
        # How zlib packs is its own affair: of a .png only the presence counts.
        there = existing()
        wrong = sorted(name for name in set(wanted) | set(there)
                       if (name in wanted) != (name in there) or (not name.startswith("png/") and wanted[name] != there[name]))
        print("\n".join(["differs: " + name for name in wrong]) or "%d seeds as they should be" % len(wanted))
        return 1 if wrong else 0
    for name, content in wanted.items():
        os.makedirs(os.path.dirname(os.path.join(CORPUS, name)), exist_ok=True)
        with open(os.path.join(CORPUS, name), "wb") as seed:
            seed.write(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
