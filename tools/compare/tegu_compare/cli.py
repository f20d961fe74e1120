# SPDX-License-Identifier: Apache-2.0
"""The command line of tegu-bench compare."""

import argparse
import os
import sys
import tempfile

from . import markdown, modelled, names, table_csv
from .board import read_board
from .errors import CANNOT_WRITE, MISSING_LIBRARY, USAGE, CompareError

_ABOUT = """Shows the files that `tegu-bench run` writes on boards beside each other: who is faster at
what, and by how much. The first file is the base. Without an output it prints Markdown."""

_EPILOG = """exit codes:
  0 written; 64 wrong usage; 65 a file is not one of tegu-bench run; 66 a file is missing;
  69 a library is missing; 73 cannot write

examples:
  tegu-bench compare nano.json orin.json -o report.html
  tegu-bench compare h100.json h200.json --model jetson-nano,jetson-orin-nano -o report.html --csv report.csv
  tegu-bench compare nano.json"""


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise CompareError("%s; --help shows the usage" % message, USAGE)


def parser():
    made = _Parser(
        prog="tegu-bench compare",
        description=_ABOUT,
        epilog=_EPILOG,
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(
            prog, max_help_position=28, width=100
        ),
    )
    made.add_argument("files", metavar="FILE", nargs="*", help="a file of tegu-bench run, one a board")
    made.add_argument(
        "-o", "--output", metavar="FILE", help="write one HTML page with pictures; it loads nothing"
    )
    made.add_argument("--markdown", metavar="FILE", help="write Markdown; - for standard output")
    made.add_argument("--csv", metavar="FILE", help="write all results as CSV; - for standard output")
    made.add_argument(
        "--names", metavar="A,B,...", help="names of the boards, one a file (default: from the files)"
    )
    made.add_argument(
        "--model",
        metavar="BOARD,...",
        help="add columns of times that these boards should take by their data sheets, marked as modelled",
    )
    made.add_argument("--list-models", action="store_true", help="list the boards that --model knows")
    made.add_argument("--title", metavar="TEXT", help="title of the report (default: names of the boards)")
    return made


def _words(text):
    return None if text is None else [word.strip() for word in text.split(",")]


def _write(path, text):
    """Whole or not at all: a page that cannot be completed does not replace an older one."""
    if path == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    folder = os.path.dirname(os.path.abspath(path))
    try:
        if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return
        handle, made = tempfile.mkstemp(prefix=".tegu-compare-", dir=folder)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(made, 0o666 & ~mask)
            os.replace(made, path)
        except BaseException:
            os.unlink(made)
            raise
    except OSError as error:
        raise CompareError("cannot write %s: %s" % (path, error.strerror), CANNOT_WRITE)


def _page(report):
    try:
        from . import page

        return page.write(report)
    except ImportError as error:
        raise CompareError(
            "the page needs Jinja2 and matplotlib (%s): apt-get install python3-jinja2 python3-matplotlib; "
            "--markdown and --csv work without them" % error,
            MISSING_LIBRARY,
        )


def _list_models():
    for sheet in modelled.sheets():
        print(
            "%-28s %s, %s: %d multiprocessors at %g MHz, %g GB/s"
            % (
                sheet.key,
                sheet.name,
                sheet.power_mode,
                sheet.multiprocessors,
                sheet.gpu_clock_mhz,
                sheet.memory_gb_per_s,
            )
        )


def run(arguments):
    options = parser().parse_args(arguments)
    if options.list_models:
        _list_models()
        return 0
    if not options.files:
        raise CompareError("needs at least one file of tegu-bench run; --help shows the usage", USAGE)
    sheets = modelled.chosen(_words(options.model)) if options.model else []
    boards = [read_board(path) for path in options.files]
    names.name_boards(boards, _words(options.names))
    models = [modelled.model(sheet, modelled.reference(boards)) for sheet in sheets]
    from .sections import report_of

    report = report_of(boards, models, options.title)
    if options.output:
        _write(options.output, _page(report))
    if options.csv:
        _write(options.csv, table_csv.write(boards, models))
    if options.markdown or not (options.output or options.csv):
        _write(options.markdown or "-", markdown.write(report))
    return 0


def main(arguments=None):
    try:
        return run(sys.argv[1:] if arguments is None else arguments)
    except CompareError as error:
        print("tegu-bench compare: %s" % error, file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        sys.stdout = None  # whoever read has gone; nothing is left to say
        return 0
