# SPDX-License-Identifier: Apache-2.0
"""What the tests of tegu-bench compare share: the package, boards of the fixtures, and the command."""

import contextlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
PROGRAM = os.path.join(SOURCE, "tools", "compare", "tegu-bench-compare")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "tools", "compare"))

import fixture_boards  # noqa: E402
from tegu_compare import board, cli, names, schema  # noqa: E402

SKIPPED = 77


def skip_without(*modules):
    """Ends the test as skipped, with the reason, unless this Python has the modules."""
    if sys.version_info < (3, 9):
        print("SKIPPED: needs Python 3.9")
        sys.exit(SKIPPED)
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        print("SKIPPED: this Python has no " + ", ".join(missing))
        sys.exit(SKIPPED)


def board_of(content, path="made.json"):
    """A board of a file's content, as the command reads it."""
    content = json.loads(json.dumps(content))
    schema.check(path, content)
    return board.board_of(path, content)


def fixtures(*keys):
    """Named boards of the fixtures."""
    found = [board_of(fixture_boards.content(key), key + ".json") for key in keys or fixture_boards.NAMES]
    names.name_boards(found)
    return found


def small(board="Board", results=(), **more):
    """The content of a file with these results, each a dict that needs only what the test is about."""
    records = [
        dict(
            {
                "kind": "result",
                "part": "operations",
                "backend": "cpu",
                "case": "sum 1e6",
                "operation": "reduce",
            },
            **result,
        )
        for result in results
    ]
    content = {
        "schema": "tegu-field/1",
        "identity": {"board": board},
        "options": {},
        "records": records,
        "finished": True,
    }
    content.update(more)
    return content


def run(*arguments):
    """The command within this process: exit code, standard output, standard error."""
    out, error = io.StringIO(), io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        warnings.simplefilter("ignore", DeprecationWarning)  # of libraries that are older than their own
        code = cli.main([str(argument) for argument in arguments])
    return code, out.getvalue(), error.getvalue()


def start(*arguments):
    """The same as a program of its own."""
    command = [sys.executable, PROGRAM] + [str(argument) for argument in arguments]
    environment = dict(os.environ, PYTHONIOENCODING="utf-8")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


class Folder:
    """A temporary folder with the files of the fixtures."""

    def __enter__(self):
        self._made = tempfile.TemporaryDirectory(prefix="tegu-compare-")
        self.path = self._made.name
        self.files = fixture_boards.write_all(self.path)
        return self

    def __exit__(self, *_):
        self._made.cleanup()

    def write(self, name, content):
        path = os.path.join(self.path, name)
        with open(path, "wb") as out:
            out.write(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path
