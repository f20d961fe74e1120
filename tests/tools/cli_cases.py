#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a file of cases: commands with what they must print and how they must end, against a private tegud.

    $ command          a line of shell, in a folder that holds the files of fixtures()
    | text             a line of stdout
    ! text             a line of stderr
    = code             the exit code; 0 if it is not given
In texts {*} stands for anything and {n} for a number. All lines of both streams must be there, and no other.
usage: cli_cases.py FILE...
"""

import re
import struct
import sys
import zipfile

from daemon import Daemon
from files import npy, npz, pgm, png


def packed(code, values):
    return struct.pack("<%d%s" % (len(values), code), *values)


def fixtures():
    """File name -> content."""
    nan, inf = float("nan"), float("inf")
    numbers = packed("i", [5, -3, 9, 9, 1])
    matrix = npy("<i2", (2, 3), packed("h", [1, 2, 3, -4, 5, -6]))
    image = bytes((x * 16 + y * 7) % 256 for y in range(16) for x in range(16))
    return {
        "numbers.npy": npy("<i4", (5,), numbers),
        "numbers.raw": numbers,
        "matrix.npy": matrix,
        "matrix-fortran.npy": npy("<i2", (2, 3), packed("h", [1, -4, 2, 5, 3, -6]), fortran=True),
        "cube.npy": npy("|u1", (2, 2, 2), bytes(range(8))),
        "empty-fortran.npy": npy("<f4", (2 * 10**18, 0), b"", fortran=True),
        "cube-fortran.npy": npy("|u1", (2, 2, 2), bytes(range(8)), fortran=True),
        "scalar.npy": npy("<f8", (), packed("d", [2.5])),
        "empty.npy": npy("<f4", (0,), b""),
        "bools.npy": npy("|b1", (4,), b"\1\0\1\1"),
        "halves.npy": npy("<f2", (3,), packed("e", [0.5, -2, 65504])),
        "odd-floats.npy": npy("<f4", (4,), packed("f", [1.5, nan, -inf, 2])),
        "more.npy": npy("<i2", (2, 3), packed("h", [10, 20, 30, 40, 50, 60])),
        "tall.npy": npy("<i2", (3, 2), packed("h", [1, 2, 3, 4, 5, 6])),
        "limits.npy": npy("<i2", (2, 3), packed("h", [0, 0, 0, 0, 32763, 0])),
        "weights.npy": npy("<f4", (2, 3), packed("f", [1, -2, 4, 0, 0, 0])),
        "holes.npy": npy("<f4", (2, 2), packed("f", [nan, -2, 1, 4])),
        "wide.npy": npy("<u8", (2,), packed("Q", [2**64 - 1, 2])),
        "big-endian.npy": npy(">f4", (2,), struct.pack(">2f", 1.5, -3)),
        "big-endian-fortran.npy": npy(">i2", (2, 3), struct.pack(">6h", 1, -4, 2, 5, 3, -6), fortran=True),
        "complex.npy": npy("<c8", (1,), b"\0" * 8),
        "one.npz": npz({"matrix": matrix}),
        "packed.npz": npz({"matrix": matrix, "numbers": npy("<i4", (5,), numbers)}, zipfile.ZIP_DEFLATED),
        "no-arrays.npz": npz({}),
        "truncated.npz": npz({"matrix": matrix})[:-9],
        "damaged.npz": npz({"matrix": matrix}, zipfile.ZIP_DEFLATED).replace(b"matrix.npy", b"matriy.npy", 1)[
            :60
        ]
        + b"\xff" * 20
        + npz({"matrix": matrix}, zipfile.ZIP_DEFLATED)[80:],
        "truncated.npy": matrix[:-1],
        "surplus.npy": matrix + b"x",
        "huge.npy": npy("<f8", (1 << 31, 1 << 28), b"few"),
        "no-header.npy": matrix[:9],
        "nothing": b"",
        "text.txt": b"hello, world\n",
        "image.pgm": pgm(16, 16, image),
        "flat.pgm": pgm(9, 7, bytes(63)),
        "text.pgm": b"P2\n# plain\n3 2\n15\n0 1 2\n3 4 15\n",
        "text-short.pgm": b"P2\n3 2\n15\n0 1 2 3 4      ",
        "deep.pgm": pgm(2, 1, b"\x01\x00\xff\xfe", 65535),
        "truncated.pgm": pgm(16, 16, image)[:-1],
        "bitmap.pbm": b"P4 1 1\na",
        "colour.ppm": b"P6 2 1 255\n\xff\0\0\0\xff\0",
        "colour-text.ppm": b"P3 2 1 65535\n65535 0 0 0 65535 0\n",
        "colour-deep.ppm": b"P6 2 1 65535\n\xff\xff\0\0\0\0\0\0\xff\xff\0\0",
        "deep.png": png(2, 1, 16, 0, b"\x01\x02\xff\xfe"),
        "image.png": png(16, 16, 8, 0, image),
        "truncated.png": png(16, 16, 8, 0, image)[:-30],
        "huge.png": png(1000000, 1000000, 8, 0, b""),
        "rgb.png": png(2, 1, 8, 2, b"\xff\0\0\0\xff\0"),
    }


class Case:
    def __init__(self, command, place):
        self.command, self.place, self.out, self.err, self.code = command, place, [], [], 0


def read_cases(path):
    cases = []
    with open(path, encoding="utf-8") as source:
        for number, line in enumerate(source.read().splitlines(), 1):
            kind, text = line[:1], line[2:]
            if kind == "$":
                cases.append(Case(text, "%s:%d" % (path, number)))
            elif kind == "|":
                cases[-1].out.append(text)
            elif kind == "!":
                cases[-1].err.append(text)
            elif kind == "=":
                cases[-1].code = int(text)
            elif kind not in ("", "#"):
                sys.exit("%s:%d: a line begins with $ | ! = or #" % (path, number))
    return cases


def pattern_of(lines):
    text = "".join(line + "\n" for line in lines)
    escaped = (
        re.escape(text).replace(re.escape("{*}"), "[^\n]*").replace(re.escape("{n}"), r"[0-9][0-9.e+-]*")
    )
    return re.compile(escaped)


def mismatch(case, done):
    """What is wrong, or None."""
    for name, lines, found in (("stdout", case.out, done.stdout), ("stderr", case.err, done.stderr)):
        text = found.decode(errors="replace")
        if not pattern_of(lines).fullmatch(text):
            return "%s differs\n  expected: %s\n  found:    %s" % (
                name,
                "\n            ".join(lines),
                text.replace("\n", "\n            "),
            )
    return None if done.returncode == case.code else "exit code %d, not %d" % (done.returncode, case.code)


def self_check():
    case = Case("", "")
    case.out = ["a {n} b{*}"]

    class Done:
        stdout, stderr, returncode = b"a 1.5e-3 bcd\n", b"", 0

    assert mismatch(case, Done) is None
    for wrong in (b"a x bcd\n", b"a 1 bcd\nmore\n", b"a 1 b"):
        Done.stdout = wrong
        assert mismatch(case, Done)


def main():
    self_check()
    failed = count = 0
    for path in sys.argv[1:]:
        with Daemon() as daemon:
            for name, content in fixtures().items():
                daemon.write(name, content)
            for case in read_cases(path):
                count += 1
                wrong = mismatch(case, daemon.run(case.command))
                if wrong:
                    failed += 1
                    print("%s: $ %s\n  %s" % (case.place, case.command, wrong))
            # Whatever the cases did: the next client is served.
            if daemon.run("tegu reduce --stats sum numbers.npy").returncode != 0:
                sys.exit("%s: tegud does not serve any more\n%s" % (path, daemon.log()))
    print("%d of %d cases failed" % (failed, count))
    return 1 if failed or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
