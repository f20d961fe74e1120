#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every example of docs/operations against a private tegud: each `sh` and `python` block of a page, in
its order.

Python blocks need numpy; without it they are left out, and the test counts as skipped.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests", "client"))
import harness  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None

BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def command_of(language, text):
    return ["/bin/sh", "-e", "-c", text] if language == "sh" else [sys.executable, "-c", text]


def environment_for(daemon, language):
    environment = dict(os.environ, TEGU_SOCKET=daemon.socket)
    environment["PATH"] = os.path.abspath(os.path.join(harness.BUILD, "bin")) + ":" + environment["PATH"]
    if language == "sh":
        environment.pop("LD_PRELOAD", None)
    return environment


def run_page(page, daemon, folder):
    """(examples that ran, descriptions of those that failed)"""
    with open(page) as file:
        blocks = BLOCK.findall(file.read())
    ran, failures = 0, []
    for language, text in blocks:
        if language == "python" and numpy is None:
            continue
        ran += 1
        done = subprocess.run(
            command_of(language, text),
            cwd=folder,
            env=environment_for(daemon, language),
            timeout=120,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        if done.returncode != 0 or done.stderr:
            failures.append(
                "%s, %s block: exit code %d\n%s%s"
                % (
                    os.path.basename(page),
                    language,
                    done.returncode,
                    done.stdout.decode(),
                    done.stderr.decode(),
                )
            )
    if {language for language, _ in blocks} != {"sh", "python"}:
        failures.append("%s: lacks an example for the shell or for Python" % os.path.basename(page))
    return ran, failures


def main():
    harness.preload_sanitizer()
    pages = sorted(glob.glob(os.path.join(SOURCE, "docs", "operations", "*.md")))
    folder = tempfile.mkdtemp(prefix="tegu-pages-")
    for picture in glob.glob(os.path.join(SOURCE, "tests", "data", "*.pgm")):
        shutil.copy(picture, folder)
    daemon = harness.Daemon()
    total, failures = 0, [] if pages else ["no pages"]
    try:
        for page in pages:
            ran, failed = run_page(page, daemon, folder)
            total += ran
            failures += failed
    finally:
        ended = daemon.stop()
        shutil.rmtree(folder)
    if ended != 0:
        failures.append("tegud ended with %d" % ended)
    print("\n".join(failures) if failures else "%d examples of %d pages ran" % (total, len(pages)))
    if failures:
        return 1
    return 0 if numpy is not None else harness.SKIPPED


if __name__ == "__main__":
    sys.exit(main())
