# SPDX-License-Identifier: Apache-2.0
"""Short names of boards, each once on a page: the board of a Jetson, else the GPU, else the CPU. Runs of one
kind of board are told apart by what differs."""

import re

from .errors import USAGE, CompareError

LONGEST = 48  # characters of a name
_NOISE_WORDS = re.compile(
    r"\b(NVIDIA|Developer Kit|Engineering Reference|Intel|AMD|Processor|CPU|\d+-Core)\b|\((R|TM|r|tm)\)|@.*$"
)


def _short(text):
    words = " ".join(_NOISE_WORDS.sub(" ", text).split()) or text.strip()
    return words if len(words) <= LONGEST else words[: LONGEST - 1].rstrip() + "…"


def _plain(board):
    name = board.identity["board"]
    if "jetson" in name.lower():
        return _short(name)
    if board.gpu and board.gpu.get("name"):
        return _short(board.gpu["name"])
    cpu = board.identity_text("cpu", "name")
    return _short(cpu) if cpu else _short(name)


def _differences(board):
    """What may tell two runs of one kind of board apart, the most telling first."""
    yield board.identity.get("power_mode") or "no power mode"
    yield board.identity_text("tegu", "commit") or "no commit"
    yield "%s multiprocessors" % board.identity_text("gpu", "multiprocessors")
    yield "driver " + (board.identity.get("driver") or "unknown")
    yield board.identity["board"]
    yield board.file


def _tell_apart(boards):
    for values in zip(*(_differences(board) for board in boards)):
        if len(set(values)) == len(values):
            for board, value in zip(boards, values):
                board.name = "%s (%s)" % (board.name, value)
            return
    for board in boards:
        board.name = "%s (%s)" % (board.name, board.path)


def _refuse_twins(boards):
    """The same run given twice would be compared with itself."""
    seen = {}
    for board in boards:
        run = (repr(board.identity), repr(board.options), repr(board.results), repr(board.conditions))
        if run in seen:
            raise CompareError(
                "%s: is the same run as %s; each board is given once" % (board.path, seen[run])
            )
        seen[run] = board.path


def name_boards(boards, given=None):
    """Sets the name of each board. given: names from the command line, one a board, or None. Raises
    CompareError."""
    _refuse_twins(boards)
    if given is not None:
        if len(given) != len(boards) or len(set(given)) != len(given) or not all(given):
            raise CompareError(
                "--names needs one name for each of the %d files, all different; it has %s"
                % (len(boards), ", ".join('"%s"' % name for name in given)),
                USAGE,
            )
        for board, name in zip(boards, given):
            board.name = name
        return
    for board in boards:
        board.name = _plain(board)
    for name in {board.name for board in boards}:
        same = [board for board in boards if board.name == name]
        if len(same) > 1:
            _tell_apart(same)
