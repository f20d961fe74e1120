#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The man page and the user page say what the command says of itself."""

import os
import re
import subprocess
import tempfile
import unittest

from daemon import PATIENCE, SOURCE, TEGU

OTHERS = (
    "ping",
    "info",
    "stats",
    "latency",
    "buffers",
    "jobs",
    "cancel",
    "health",
    "top",
    "metrics",
    "kernels",
)


def tegu(*arguments):
    return subprocess.run([TEGU] + list(arguments), stdout=subprocess.PIPE, check=True).stdout.decode()


def commands():
    """Name -> sentence, as tegu --help lists them."""
    listed = tegu("--help").split("Subcommands:\n")[1].split("\n\n")[0]
    return dict(re.match(r" +(\S+) +(.*)", line).groups() for line in listed.splitlines())


def options(command):
    return set(
        re.findall(
            r"(?<![\w-])--?[a-z][a-z-]*", " ".join(re.findall(r"^  (-\S+)", tegu(command, "--help"), re.M))
        )
    )


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as source:
        return source.read()


def man_page():
    """Text without markup, and heading of a subsection -> the options that it explains."""
    page = re.sub(r"\\f[BIR]", "", read("docs/man/tegu.1").replace("\\-", "-").replace("\\ ", " "))
    sections = {}
    for part in page.split("\n.SS ")[1:]:
        heading, body = part.split("\n", 1)
        tags = re.findall(r"^\.TP\n\.(?:B|BI|BR) (.*)", body.split("\n.SH ")[0], re.M)
        sections[heading] = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", " ".join(tags)))
    return page, sections


class ReadmeTest(unittest.TestCase):
    def test_the_block_runs_as_it_is_pasted(self):
        block = read("README.md").split("## Use it\n\n")[1].split("\n\nFrom Python")[0]
        script = "\n".join(line[4:] for line in block.splitlines() if line.startswith("    "))
        with tempfile.TemporaryDirectory(prefix="tegu-readme-") as folder:
            script = script.replace("/tmp/tegud.sock", folder + "/tegud.sock")
            script = script.replace("build/release/bin/", os.path.dirname(TEGU) + "/")
            script = script.replace("tests/data/", SOURCE + "/tests/data/")
            script = script.replace("--wait 5 ", "--wait 60 ")  # for a machine that is busy
            done = subprocess.run(
                ["bash", "-e"],
                input=(script + "\nwait $! || true\n").encode(),
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                timeout=4 * PATIENCE,
            )
            self.assertEqual(done.returncode, 0, done)
            self.assertIn(b"reply in ", done.stdout)
            self.assertEqual(os.listdir(folder), ["entropy.png"])  # the daemon took its socket away


class DocsTest(unittest.TestCase):
    def test_the_man_page_explains_every_option_and_no_other(self):
        page, sections = man_page()
        self.assertEqual(
            set(commands()), set(sections) - {"Options of every operation", "Options of every command"}
        )
        for command in commands():
            explained = sections[command] | sections["Options of every command"]
            if command not in OTHERS:
                explained |= sections["Options of every operation"]
            self.assertEqual(explained, options(command), command)

    def test_the_man_page_has_the_sentence_and_the_example_of_every_command(self):
        page, _ = man_page()
        for command, sentence in commands().items():
            self.assertIn(sentence, page)
            self.assertIn("\n" + tegu(command, "--help").split("Example:\n  ")[1].strip() + "\n", page)

    def test_the_examples_of_the_user_page_use_what_there_is(self):
        examples = re.findall(
            r"^    (?:.*[|&] )?tegu ([a-z-]+) ?(.*?)(?: +#.*)?$", read("docs/tegu.md"), re.M
        )
        self.assertLessEqual(
            set(commands()) - {"info", "buffers", "ping"}, {command for command, _ in examples}
        )
        for command, arguments in examples:
            used = set(re.findall(r"(?<!\S)--?[a-z][a-z-]*", arguments.split("&&")[0]))
            self.assertLessEqual(used, options(command), command)

    def test_exit_codes_are_the_same_in_both_pages(self):
        page, _ = man_page()
        in_page = set(
            re.findall(r"\b(?:0|[67]\d)\b", page.split(".SH EXIT STATUS")[1].split(".SH ENVIRONMENT")[0])
        )
        in_user_page = set(
            re.findall(
                r"\b(?:0|[67]\d)\b", " ".join(re.findall(r"^\| ([\d, ]+) \|", read("docs/tegu.md"), re.M))
            )
        )
        self.assertEqual(in_page, in_user_page)


if __name__ == "__main__":
    unittest.main()
