#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The first line of a commit's message has at most 72 characters. Commits before FIRST are older than the
rule. Skipped where git or that part of the history is missing, as in a shallow clone or an archive."""

import subprocess
import sys

from tree import SOURCE

FIRST = "245faaa1f73b7770a273214f11a5fa0cdf22a4f0"
MAX_SUBJECT = 72
SKIPPED = 77


def git(*arguments):
    """What git prints, or None if it fails or is not installed."""
    try:
        done = subprocess.run(
            ["git", "-C", SOURCE] + list(arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            universal_newlines=True,
        )
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def main():
    if git("merge-base", "--is-ancestor", FIRST, "HEAD") is None:
        print("the history since %.12s is not here" % FIRST)
        return SKIPPED
    subjects = git("log", "--no-merges", "--format=%h %s", FIRST + "..HEAD").splitlines()
    long_ones = [line for line in subjects if len(line.partition(" ")[2]) > MAX_SUBJECT]
    print("%d commits" % len(subjects))
    for line in long_ones:
        print("more than %d characters: %s" % (MAX_SUBJECT, line))
    return 1 if long_ones else 0


if __name__ == "__main__":
    sys.exit(main())
