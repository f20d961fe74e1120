#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Completion: the files are what --help says, and bash and zsh, on terminals of their own, complete with
them. A shell that is not there is skipped."""

import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

from daemon import BUILD, SOURCE, PATIENCE

FOLDER = os.path.join(SOURCE, "tools", "completion")
sys.path.insert(0, FOLDER)
import cli_help  # noqa: E402
import write_completion  # noqa: E402

BIN = os.path.join(BUILD, "bin")
SHOW = b"\x18\x10"  # a key that prints the line between <<< and >>> and empties it
ESCAPES = re.compile(r"\x1b(?:\[[\d;?]*[ -/]*[@-~]|[=>]|\][^\x07]*\x07)|[\x07\r]|.\x08")


def listed(output, typed):
    return set(re.findall(r"[\w.-]+", output.replace(typed, " ")))


class Shell:
    """An interactive shell on a terminal of 300 columns, in a folder with some files."""

    def __init__(self, command, lines):
        self.folder = tempfile.mkdtemp(prefix="tegu-completion-")
        for name in ("numbers.npy", "other.txt"):
            open(os.path.join(self.folder, name), "w").close()
        os.mkdir(os.path.join(self.folder, "boards"))
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 200, 300, 0, 0))
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": self.folder,
            "TERM": "xterm",
            "LC_ALL": "C",
            "PS1": "$ ",
        }
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=self.folder,
            env=environment,
            preexec_fn=lambda: (os.setsid(), fcntl.ioctl(0, termios.TIOCSCTTY, 0)),
        )
        os.close(slave)
        for line in lines + ["echo REA''DY"]:
            os.write(self.master, line.encode() + b"\n")
        self.read_until(lambda output: "READY" in output)

    def read_until(self, done):
        output, end = "", time.monotonic() + PATIENCE
        while not done(output):
            if time.monotonic() > end or not select.select([self.master], [], [], PATIENCE)[0]:
                raise AssertionError("still waiting at %r" % output)
            output = ESCAPES.sub("", output + os.read(self.master, 65536).decode(errors="replace"))
        return output

    def complete(self, typed, expected=()):
        """Types it and a tab. The line as it is then, and the words that were listed; `expected` are waited
        for, as zsh lists nothing while keys come."""
        os.write(self.master, typed.encode() + b"\t")
        shown = self.read_until(lambda output: set(expected) <= listed(output, typed)) if expected else ""
        os.write(self.master, SHOW)
        shown += self.read_until(lambda output: re.search(r"<<<[^<]*>>>", output))
        return re.search(r"<<<([^<]*)>>>", shown).group(1), listed(shown.split("<<<")[0], typed)

    def end(self):
        os.close(self.master)
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder)


class FilesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = write_completion.completions(BIN)
        cls.commands = cli_help.read_program(os.path.join(BIN, "tegu"))

    def completed(self, *words):
        script = (
            '. "%s/tegu.bash"; COMP_WORDS=(%s); COMP_CWORD=%d; _tegu tegu "%s" "%s"; '
            'printf "%%s\\n" "${COMPREPLY[@]}"'
            % (FOLDER, " ".join('"%s"' % word for word in words), len(words) - 1, words[-1], words[-2])
        )
        done = subprocess.run(
            ["bash", "--norc", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.assertEqual(done.stderr, b"")
        return set(done.stdout.decode().split())

    def test_they_are_what_help_says(self):
        self.assertLessEqual({"tegu.bash", "_tegu", "tegud.bash", "_tegud"}, set(self.files))
        for name, text in self.files.items():
            with open(os.path.join(FOLDER, name), encoding="utf-8") as source:
                self.assertEqual(source.read(), text, "the target completion writes " + name)

    def test_every_command_option_and_word(self):
        commands = self.commands[1:]
        self.assertEqual(
            self.completed("tegu", ""),
            {command.name for command in commands}
            | {"help"}
            | {option.long_name() for option in self.commands[0].options},
        )
        self.assertEqual(self.completed("tegu", "help", ""), {command.name for command in commands})
        for before in (["--socket", "s"], ["--socket", "=", "s"], ["--json"], ["--color", "=", "never"]):
            self.assertEqual(self.completed("tegu", *before, "red"), {"reduce"}, before)
            self.assertIn("--smallest", self.completed("tegu", *before, "topk", "--sm"), before)
        self.assertEqual(self.completed("tegu", "red"), {"reduce"})
        for command in commands:
            self.assertEqual(
                self.completed("tegu", command.name, "-"),
                set(write_completion.names_of(command.options)),
                command.name,
            )
        words = {}  # the same in many commands
        for command in commands:
            for option in command.options:
                if option.type:
                    words[option.long_name(), tuple(option.words)] = command.name
        self.assertGreater(len([option for option, listed in words if listed]), 10)
        for (option, listed), command in words.items():
            self.assertEqual(self.completed("tegu", command, option, ""), set(listed), (command, option))

    def test_words_of_a_list(self):
        self.assertEqual(self.completed("tegu", "reduce", "--stats", "sum,s"), {"sum,sum", "sum,std"})
        self.assertEqual(
            self.completed("tegu", "reduce", "--stats", "=", "min,arg"), {"min,argmin", "min,argmax"}
        )


class ShellCases:
    """What both shells do. `value` is what follows an option that takes one."""

    @classmethod
    def tearDownClass(cls):
        cls.shell.end()

    def line(self, typed):
        return self.shell.complete(typed)[0]

    def assert_listed(self, typed, expected, others):
        found = self.shell.complete(typed, expected)[1]
        self.assertEqual(found & (expected | others), expected)

    def test_commands(self):
        self.assertEqual(self.line("tegu ent"), "tegu entropy")
        self.assert_listed("tegu ent", {"entropy", "entropy-map"}, {"reduce"})
        self.assertEqual(self.line("tegu met"), "tegu metrics ")
        self.assert_listed("tegu ", {"reduce", "topk", "kernels", "metrics"}, {"numbers.npy"})

    def test_options(self):
        self.assertEqual(self.line("tegu topk --dist"), "tegu topk --distinct ")
        self.assertEqual(self.line("tegu metrics --text"), "tegu metrics --textfile" + self.value)
        self.assert_listed("tegu topk --s", {"--smallest", "--shape", "--socket"}, {"--stats", "--rows"})

    def test_words(self):
        self.assert_listed("tegu topk --dtype f", {"f16", "f32", "f64"}, {"u8"})
        self.assertEqual(self.line("tegu entropy-map --colour vi"), "tegu entropy-map --colour viridis ")
        self.assertEqual(self.line("tegu entropy-map --colour=vi"), "tegu entropy-map --colour=viridis ")
        self.assertEqual(self.line("tegu quantile --method near"), "tegu quantile --method nearest ")

    def test_lists(self):
        self.assertEqual(self.line("tegu reduce --stats nonz").rstrip(" ,"), "tegu reduce --stats nonzero")
        self.assertEqual(
            self.line("tegu reduce --stats sum,nonz").rstrip(" ,"), "tegu reduce --stats sum,nonzero"
        )

    def test_files(self):
        self.assertEqual(self.line("tegu reduce num"), "tegu reduce numbers.npy ")
        self.assertEqual(self.line("tegu reduce --rows num"), "tegu reduce --rows numbers.npy ")
        self.assertEqual(self.line("tegu metrics --textfile oth"), "tegu metrics --textfile other.txt ")

    def test_what_is_no_file(self):
        self.assertEqual(self.line("tegu topk -k num"), "tegu topk -k num")
        self.assertEqual(self.line("tegu ping num"), "tegu ping num")

    def test_tegud(self):
        self.assertEqual(self.line("tegud --print"), "tegud --print-config ")
        self.assertEqual(self.line("tegud --config oth"), "tegud --config other.txt ")
        self.assertEqual(self.line("tegud --sysroot b"), "tegud --sysroot boards/")
        self.assertEqual(self.line("tegud --sysroot oth"), "tegud --sysroot oth")

    def test_tegu_bench(self):
        self.assertEqual(self.line("tegu-bench lad"), "tegu-bench ladder ")
        self.assert_listed("tegu-bench ladder --threads 1", {"128", "1024"}, {"256"})
        self.assertEqual(self.line("tegu-bench --most"), "tegu-bench --most-elements" + self.value)


@unittest.skipIf(shutil.which("bash") is None, "needs bash")
class BashTest(ShellCases, unittest.TestCase):
    value = " "

    @classmethod
    def setUpClass(cls):
        cls.shell = Shell(
            ["bash", "--norc", "--noprofile", "-i"],
            [
                "bind 'set enable-bracketed-paste off'",
                "bind 'set show-all-if-ambiguous on'",
                "bind 'set completion-query-items 0'",
                "bind 'set page-completions off'",
                'bind -x \'"\\C-x\\C-p": printf "<%s%s%s>" "<<" "$READLINE_LINE" ">>"; '
                "READLINE_LINE= READLINE_POINT=0'",
                "for f in %s/*.bash; do . $f; done" % FOLDER,
            ],
        )


@unittest.skipIf(shutil.which("zsh") is None, "needs zsh")
class ZshTest(ShellCases, unittest.TestCase):
    value = "="

    @classmethod
    def setUpClass(cls):
        cls.shell = Shell(
            ["zsh", "-f", "-i"],
            [
                "fpath=(%s $fpath); autoload -Uz compinit; compinit -u -D; LISTMAX=10000" % FOLDER,
                "setopt no_list_ambiguous no_beep",
                'show-line() { zle -I; print -rn -- "<""<<$BUFFER>>"">"; BUFFER= }; '
                "zle -N show-line; bindkey '^X^P' show-line",
            ],
        )


if __name__ == "__main__":
    unittest.main()
