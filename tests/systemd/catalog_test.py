#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The message catalog: one entry for each number of daemon/service/events.h, each of which the daemon logs;
journalctl takes all of it."""

import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CATALOG = os.path.join(SOURCE, "systemd", "tegu.catalog")


def read(path):
    with open(path) as text:
        return text.read()


def events():
    """name -> number."""
    return dict(
        re.findall(
            r'constexpr char (k\w+)\[\] = "([0-9a-f]{32})";',
            read(os.path.join(SOURCE, "daemon", "service", "events.h")),
        )
    )


def entries():
    """number -> text."""
    return dict(re.findall(r"(?ms)^-- ([0-9a-f]{32})\n(.*?)(?=^-- |\Z)", read(CATALOG)))


class Catalog(unittest.TestCase):
    def test_each_event_has_an_entry_and_is_logged(self):
        self.assertGreaterEqual(len(events()), 10)
        self.assertEqual(sorted(events().values()), sorted(entries()))
        self.assertEqual(len(set(events().values())), len(events()))
        sources = "".join(
            read(path) for path in glob.glob(os.path.join(SOURCE, "daemon", "**", "*.cpp"), recursive=True)
        )
        for name in events():
            self.assertIn("events::" + name, sources)

    def test_variables_are_fields_that_the_daemon_sends(self):
        sources = "".join(
            read(path) for path in glob.glob(os.path.join(SOURCE, "daemon", "**", "*.cpp"), recursive=True)
        )
        for number, text in entries().items():
            for variable in re.findall(r"@(\w+)@", text):
                self.assertTrue(variable.startswith("TEGUD_"), variable)
                self.assertIn('{"%s"' % variable[len("TEGUD_") :], sources, number)

    def test_lines_fit_a_terminal(self):
        for line in read(CATALOG).splitlines():
            if not line.startswith("#"):
                self.assertLessEqual(len(line), 80, line)

    @unittest.skipUnless(shutil.which("journalctl"), "no journalctl here")
    def test_journalctl_takes_it(self):
        root = tempfile.mkdtemp(prefix="tegu-catalog-")
        self.addCleanup(shutil.rmtree, root)
        folder = os.path.join(root, "usr", "lib", "systemd", "catalog")
        os.makedirs(folder)
        os.makedirs(os.path.join(root, "var", "lib", "systemd", "catalog"))
        shutil.copy(CATALOG, folder)

        def journalctl(*arguments):
            done = subprocess.run(
                ("journalctl", "--root=" + root) + arguments,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                universal_newlines=True,
            )
            self.assertEqual(done.returncode, 0, done.stdout)
            return done.stdout

        journalctl("--update-catalog")
        listed = journalctl("--list-catalog")
        for number, text in entries().items():
            subject = re.search("(?m)^Subject: (.*)$", text).group(1)
            self.assertRegex(listed, r"(?m)^%s tegu: %s$" % (number, re.escape(subject)))


if __name__ == "__main__":
    unittest.main()
