# SPDX-License-Identifier: Apache-2.0
"""How to read the page: the rules behind its words."""

from ..caveats import skipped_groups
from ..report import Column, Section, Table
from ..noise import LEAST, NOISES, UNKNOWN

_NOISE = (
    "Times are medians; noise is the median absolute deviation divided by the median. Two times differ if "
    "they are at least %.0f %% and at least %g noises apart (the root of the sum of both squares); else the "
    "page says that there is no difference. A time without noise, or of fewer than three runs, counts as one "
    "with %.0f %%."
)
_RANKING = (
    "Rankings use the part operations alone: the faster of CPU and GPU of each board, over the cases that "
    "both boards have, in the geometric mean. Times that were taken while a board throttled are in no "
    "ranking."
)
_UNITS = (
    "1 GB is 1e9 bytes. Bytes of a job are those that it must read and write at least, so a rate above that "
    "of the copy means that a cache served."
)
_MODELS = (
    "Modelled columns are computed from data sheets (%s). No such time was measured, and none is compared or "
    "ranked with measured ones."
)
_FOLDED = "A folded table is printed if it is open."


def _left_out(boards):
    """What the runs skipped, a row for each part and reason."""
    rows = {
        (board.name, part, text): [one.case or "all" for one in skipped]
        for board in boards
        for part, text, skipped in skipped_groups(board, lambda one: one.part)
    }
    columns = [Column(name, False) for name in ("board", "part", "reason", "cases")]
    cells = [list(key) + ["%d: %s" % (len(cases), "; ".join(cases))] for key, cases in rows.items()]
    return [Table("Left out", columns, cells, "", folded=True)] if rows else []


def section(boards, models):
    lead = [_NOISE % (100 * LEAST, NOISES, 100 * UNKNOWN), _RANKING, _UNITS]
    if models:
        lead.append(_MODELS % "; ".join("%s: %s" % (model.name, model.sheet.source) for model in models))
    return Section("method", "How to read this", lead + [_FOLDED], _left_out(boards))
