# SPDX-License-Identifier: Apache-2.0
"""How to read the page: the rules behind its words."""
from ..report import Section
from ..noise import LEAST, NOISES, UNKNOWN


def section(boards, models):
    lead = [
        "Times are medians; noise is the median absolute deviation divided by the median. Two times differ if they are "
        "at least %.0f %% and at least %g noises apart (the root of the sum of both squares); else the page says that there "
        "is no difference. A time without noise, or of fewer than three runs, counts as one with %.0f %%." % (
            100 * LEAST, NOISES, 100 * UNKNOWN),
        "Rankings use the part `operations` alone: the faster of CPU and GPU of each board, over the cases that both boards "
        "have, in the geometric mean. Times that were taken while a board throttled are in no ranking.",
        "1 GB is 1e9 bytes. Bytes of a job are those that it must read and write at least, so a rate above that of the copy "
        "means that a cache served.",
    ]
    if models:
        lead.append("Modelled columns are computed from data sheets (%s). No such time was measured, and none is compared or "
                    "ranked with measured ones." % "; ".join("%s: %s" % (model.name, model.sheet.source) for model in models))
    skipped = ["%s: %s: %s." % (board.name, " ".join(filter(None, (one.part, one.case))), one.reason.rstrip("."))
               for board in boards for one in board.skipped]
    if skipped:
        lead.append("Skipped: " + " ".join(skipped))
    return Section("method", "How to read this", lead)
