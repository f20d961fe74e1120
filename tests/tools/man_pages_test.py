#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manual pages: what is written of --help is up to date, every page renders without a warning, and what a
reader sees has every option, every setting and every command."""

import os
import re
import shutil
import subprocess
import sys
import unittest

from daemon import BUILD, SOURCE, TEGUD

sys.path.insert(0, os.path.join(SOURCE, "tools", "completion"))
sys.path.insert(0, os.path.join(SOURCE, "docs", "man"))
import write_man_pages  # noqa: E402
from cli_help import has_own_options, read_program  # noqa: E402

MAN = os.path.join(SOURCE, "docs", "man")
PAGES = ("tegu.1", "tegud.8", "tegud.toml.5", "tegu-bench.1", "tegu-tune.1")
# Each tells of what it does not like on stderr, or with its exit code.
RENDERERS = {
    "groff": ["groff", "-ww", "-b", "-man", "-Tutf8", "-z"],
    "mandoc": ["mandoc", "-T", "lint", "-W", "warning"],
    "man": ["man", "--warnings=w", "-l"],
}


def run(*command):
    return subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(os.environ, LC_ALL="C.UTF-8", MANWIDTH="1000", PAGER="cat"),
    )


def read(page):
    with open(os.path.join(MAN, page), encoding="utf-8") as source:
        return source.read()


def rendered(page):
    """The text that a reader sees, on one long line."""
    path = os.path.join(MAN, page)
    if shutil.which("groff") is not None:
        shown = run("groff", "-man", "-Tutf8", "-P-cbou", "-rLL=1000n", path).stdout.decode()
    elif shutil.which("mandoc") is not None:
        shown = re.sub(r".\b", "", run("mandoc", "-T", "utf8", "-O", "width=1000", path).stdout.decode())
    else:
        raise unittest.SkipTest("needs groff or mandoc")
    return " ".join(shown.replace("\u2010", "-").replace("\u2212", "-").split())


class ManPagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tegu = write_man_pages.blocks_of_tegu(os.path.join(BUILD, "bin"))

    def test_they_say_what_help_says(self):
        for page, program in (
            ("tegu.1", "tegu"),
            ("tegud.8", "tegud"),
            ("tegu-bench.1", "tegu-bench"),
            ("tegu-tune.1", "tegu-tune"),
        ):
            path = os.path.join(BUILD, "bin", program)
            if os.path.exists(path) and has_own_options(path):
                blocks, commands = (
                    self.tegu
                    if program == "tegu"
                    else write_man_pages.blocks_of(os.path.join(BUILD, "bin"), program)
                )
                self.assertEqual(
                    write_man_pages.fill(read(page), blocks, commands),
                    read(page),
                    "the target man-pages writes " + page,
                )

    def test_a_page_that_is_behind_is_mended(self):
        page = read("tegu.1")
        for now, before in (
            ("Each value once", "Each value twice"),
            ('.\\" begin options dot\n', '.\\" begin options dot\n.TP\n.B \\-\\-old\nGone.\n'),
        ):
            behind = page.replace(now, before)
            self.assertNotEqual(behind, page)
            self.assertEqual(write_man_pages.fill(behind, *self.tegu), page)
        section = page[page.index(".SS kernels\n") : page.index(".SS Options of every operation\n")]
        self.assertIn(
            "\n.SS kernels\nThe kernels of the GPU",
            write_man_pages.fill(page.replace(section, ""), *self.tegu),
        )

    def test_they_render_without_warnings(self):
        there = [name for name in RENDERERS if shutil.which(name) is not None]
        if not there:
            self.skipTest("needs one of " + ", ".join(RENDERERS))
        for name in there:
            for page in PAGES:
                done = run(*(RENDERERS[name] + [os.path.join(MAN, page)]))
                said = (done.stderr + (done.stdout if name == "mandoc" else b"")).decode().splitlines()
                # They have no date: it would be that of no change in particular.
                self.assertEqual([line for line in said if "missing date" not in line], [], (name, page))

    def test_readers_see_every_option(self):
        text = rendered("tegu.1")
        for command in self.tegu[1]:
            self.assertIn(command.example, text)
            for option in command.options:
                shown = ", ".join(option.names) + (" " + option.type if option.type else "")
                self.assertIn(shown, text, command.name)
        text = rendered("tegud.8")
        for option in read_program(TEGUD)[0].options:
            self.assertIn(", ".join(option.names) + (" " + option.type if option.type else ""), text)

    def test_readers_see_every_setting(self):
        text = rendered("tegud.toml.5")
        table = None
        empty = os.path.join(SOURCE, "config", "tegud.toml")  # all in comments
        settings = subprocess.run(
            [TEGUD, "--print-config", "--config", empty], stdout=subprocess.PIPE, check=True
        ).stdout.decode()
        seen = 0
        for line in settings.splitlines():
            if line.startswith("["):
                table = line
                self.assertIn(table, text)
            elif re.match(r"[a-z_]+ = ", line):
                name = line.split(" = ")[0]
                self.assertRegex(text[text.index(table) :], r" %s [A-Z]" % name)
                seen += 1
        self.assertGreater(seen, 30)


if __name__ == "__main__":
    unittest.main()
