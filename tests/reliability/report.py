#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The records of kill.py, soak.py and hostile.py as a page with a plot. report.py [FOLDER] [--check]
FOLDER (default docs/benchmarks): has reliability-{kill,soak,hostile}.json, as far as they were made
                                 --check: write nothing; exit 1 if page or plot are not what the records
                                 say"""

import json
import os
import sys

import record

sys.path.insert(0, os.path.join(record.SOURCE, "scripts"))
import plots  # noqa: E402
from tegu_compare.pictures import canvas, palette  # noqa: E402
from hostile import JOBS  # noqa: E402
from soak import BOUNDS  # noqa: E402

KINDS = ("kill", "soak", "hostile")
PLOT = "reliability-soak.svg"
OUTCOMES = {"right", "cancelled", "overdue", "undone", "disturbed"}
BUSY_LOAD = 1.5
WIDTH, HEIGHT = 330, 190  # of a panel
WORDS = (
    "Memory, descriptors and mappings of the daemon and of eight clients over the soak, "
    "with the line through the second half of each."
)
PANELS = (
    ("daemon own_kib", "daemon: memory of its own, MiB", 1024.0),
    ("daemon descriptors", "daemon: descriptors", 1.0),
    ("daemon mappings", "daemon: mappings", 1.0),
    ("clients own_kib", "eight clients: memory of their own, MiB", 1024.0),
    ("clients descriptors", "eight clients: descriptors", 1.0),
    ("clients mappings", "eight clients: mappings", 1.0),
)
INTRO = """# Reliability figures

Written by `scripts/reliability.sh`, of the records beside this page; `tests/reliability` has what it runs,
and short forms of it are tests. Eight clients, four of C++ and four of Python, do at random what clients
do: jobs of all operations and four element types, on arrays and on buffers, up to 24 in flight, cancelled,
with deadlines, in place; they make, rewrite, freeze and give back buffers, and leave with jobs in flight.
Every result is compared bit for bit with one of before the load. A commit with a + had changes that were
not committed."""
TEXTS = {
    "kill": """## The daemon killed under load

`kill -9` of the daemon under the shipped units and a real systemd; the only change to them is that it may
be started as often as this takes (30 times a minute otherwise). The moments are random: most at any time,
others while a client registers, freezes or gives back a buffer or waits for many replies, others while the
new daemon starts.""",
    "soak": """## A soak

Every ten seconds the clients end what they began and connect anew, and daemon and clients are measured.
Flat means: over the second half the line through the samples rises by no more than the bound. Memory of
their own wanders by some MiB, as allocators give pages back or keep them; a leak of 32 bytes a job, the
smallest block of malloc, would add 30 MiB a million jobs.""",
    "hostile": """## A good client beside a hostile one

The good client works as a control loop does: two sums of 1024 elements (`small`: computed where they are
read) and an entropy map of 256 x 256 (`queued`: it goes through the queue), then 0.5 ms of rest. The attack
is on and off by turns, and p99 is compared between the two. Wanted: at most 2. Noise: the median deviation
of the ratio in five parts of the run. The attacker is another user, and at the lowest priority of the
machine, so that what is taken by way of the daemon shows, and not the use of a core; the `busy` kinds are
no clients but programs that keep cores busy at normal priority, for comparison.

A short job of one user does not wait for a long one of another (the express lane, `../daemon/jobs.md`).
What still exceeds 2 are single waits of 2 to 4 ms, one job in fifty or a hundred: the good client itself,
or a thread of the daemon, waits for a core of this machine until another's slice ends, for the kernel lets
it end whatever the priorities are. Traces of the scheduler (`perf sched`) show these, and for `visits` the
kernel's own work for sockets that end. `busy-twice` shows what the machine does to the good client with no
hostile one at all.""",
}


def number(value):
    return "{:,}".format(value).replace(",", " ")


def head_line(head):
    sanitizers = ", " + head["sanitizers"] if head["sanitizers"] else ""
    busy = (
        " **The machine was busy with other work**, which is in these times."
        if head["load_before"] > BUSY_LOAD
        else ""
    )
    return "`%s`, %s, commit %s, %s build%s, on %s, load before %s.%s" % (
        head["command"],
        head["began"],
        head["commit"],
        head["build"] or "default",
        sanitizers,
        head["machine"],
        head["load_before"],
        busy,
    )


def table(names, rows):
    return "\n".join(
        ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
        + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    )


def without_outcome(made):
    """Jobs that a client counts and says nothing of. A record is made only if every client lived to its end,
    and one ends at the first result that is wrong and the first job that fails otherwise than it may: such
    jobs are in no record."""
    for about in made["clients"] + [made["totals"]]:
        if set(about["outcomes"]) - OUTCOMES:
            raise ValueError(
                "the record has outcomes that this page does not tell: %s"
                % sorted(set(about["outcomes"]) - OUTCOMES)
            )
    return sum(client["jobs"] - sum(client["outcomes"].values()) for client in made["clients"])


def kill_section(made):
    totals, outcomes, found = made["totals"], made["totals"]["outcomes"], made["undisturbed"]
    aims = {}
    for kill in made["kills"]:
        aims[kill["aim"]] = aims.get(kill["aim"], 0) + 1
    right = number(outcomes["right"])
    rows = [
        (
            "kills, and starts by systemd",
            "%d, %d, in %.0f s" % (len(made["kills"]), made["restarts"], made["seconds"]),
        ),
        ("aimed at", ", ".join("%s %d" % (aim, aims[aim]) for aim in sorted(aims))),
        ("jobs answered, of these right to the bit", "%s, %s" % (number(totals["jobs"]), right)),
        (
            "cancelled or overdue, as was asked",
            "%d, %d" % (outcomes.get("cancelled", 0), outcomes.get("overdue", 0)),
        ),
        ("in place and undone, and said so", outcomes.get("undone", 0)),
        ("over a buffer that was rewritten meanwhile", outcomes.get("disturbed", 0)),
        (
            "with none of these outcomes "
            "(a client ends at the first lost or wrong one, and there is no record)",
            number(without_outcome(made)),
        ),
        (
            "connections found again; jobs in flight then, sent again",
            "%d; %d" % (totals["reconnects"], totals["resent"]),
        ),
        (
            "from a kill to the client's next answer, if no other kill came between: p50, p99, most",
            "%.2f s, %.2f s, %.2f s"
            % (record.quantile(found, 0.5), record.quantile(found, 0.99), max(found)),
        ),
        ("longest time without an answer, with all kills in it", "%.2f s" % max(made["recoveries"])),
    ]
    held = list(zip(made["clients"], made["at_rest"], made["halfway"], made["rested"]))
    clients = [
        (
            "%d, %s" % (index, client["kind"]),
            number(client["jobs"]),
            client["reconnects"],
            ", ".join(str(at["descriptors"]) for at in states),
            ", ".join("%.1f" % (at["own_kib"] / 1024.0) for at in states),
            ", ".join(str(at["mappings"]) for at in states),
        )
        for index, (client, *states) in enumerate(held)
    ]
    return [
        table(("", ""), rows),
        table(
            (
                "client",
                "jobs",
                "found it again",
                "descriptors before, after half of the kills, after all",
                "own memory, MiB",
                "mappings",
            ),
            clients,
        ),
    ]


def soak_section(made):
    outcomes = made["totals"]["outcomes"]
    rows = [
        (
            name,
            verdict["mean"],
            verdict["rise"],
            verdict["noise"],
            verdict["bound"],
            "yes" if verdict["flat"] else "**no**",
        )
        for name, verdict in sorted(made["verdict"].items())
    ]
    line = (
        "%s jobs in %.0f minutes, %s compared and right; %s cancelled, %s overdue. "
        "Descriptors of the daemon before the clients came and after they had gone: %d, %d."
        % (
            number(made["totals"]["jobs"]),
            made["seconds"] / 60,
            number(outcomes["right"]),
            number(outcomes["cancelled"]),
            number(outcomes["overdue"]),
            made["before"]["descriptors"],
            made["after"]["descriptors"],
        )
    )
    return [
        line,
        table(
            ("what", "mean", "rise over the second half", "two standard errors of it", "bound", "flat"), rows
        ),
        "![what is held over time](%s)" % PLOT,
    ]


def hostile_section(made):
    rows = []
    for kind, about in made["kinds"].items():
        for job in JOBS:
            if job not in about:
                continue
            each = about[job]
            rows.append(
                (
                    kind,
                    job,
                    each["alone"]["p50_us"],
                    each["beside"]["p50_us"],
                    each["alone"]["p99_us"],
                    each["beside"]["p99_us"],
                    each["alone"]["p999_us"],
                    each["beside"]["p999_us"],
                    each["p99_ratio"] if each["p99_ratio"] <= 2 else "**%s**" % each["p99_ratio"],
                    "%.0f %%" % (100 * each["noise"]),
                )
            )
    words = "\n".join("- `%s`: %s" % (kind, about["what"]) for kind, about in made["kinds"].items())
    return [
        table(
            (
                "beside",
                "jobs",
                "p50 alone, us",
                "beside",
                "p99 alone, us",
                "beside",
                "p99.9 alone, us",
                "beside",
                "p99 ratio",
                "noise",
            ),
            rows,
        ),
        words,
    ]


def panel(fig, place, made, name, title, unit):
    """One set of axes: what was held over the minutes, and the line through the second half."""
    at = made["columns"].index(name)
    points = [(row[0] / 60.0, row[at] / unit) for row in made["rows"]]
    half = points[len(points) // 2 :]
    slope, _, mean = record.line_through(half)
    middle = sum(x for x, _ in half) / len(half)
    low, high = min(y for _, y in points), max(y for _, y in points)
    margin = max((high - low) * 0.1, high * 0.02, BOUNDS[name] / unit / 2)
    ax = canvas.tile(fig, place % 3, 3, place // 3, 2, left=58, right=24, top=26)
    canvas.linear(
        ax.xaxis, 0, points[-1][0], lambda minute: "%.0f min" % minute, [0, points[-1][0] / 2, points[-1][0]]
    )
    canvas.linear(ax.yaxis, max(0, low - margin), high + margin, lambda value: "%g" % value)
    ax.yaxis.get_major_locator().set_params(nbins=4, integer=unit == 1)
    canvas.grid(ax)
    ax.plot([x for x, _ in points], [y for _, y in points], color=palette.series(0), linewidth=1.2)
    ends = [half[0][0], half[-1][0]]
    ax.plot(ends, [mean + slope * (x - middle) for x in ends], color=palette.series(1), linewidth=1.6)
    canvas.note(ax, title, (0, 1), (-6, 9), palette.colour("ink"), "axes fraction")


def plot(made):
    fig = canvas.figure(3 * WIDTH, 2 * HEIGHT)
    for place, (name, title, unit) in enumerate(PANELS):
        panel(fig, place, made, name, title, unit)
    return fig


def pages(folder):
    """path -> content"""
    parts, made = [INTRO], {}
    sections = {"kill": kill_section, "soak": soak_section, "hostile": hostile_section}
    for kind in KINDS:
        path = os.path.join(folder, "reliability-%s.json" % kind)
        if not os.path.exists(path):
            continue
        with open(path) as file:
            measured = json.load(file)
        parts += [
            TEXTS[kind],
            head_line(measured["head"])
            + " Record: [reliability-%s.json](reliability-%s.json)." % (kind, kind),
        ] + sections[kind](measured)
    made[os.path.join(folder, "reliability.md")] = "\n\n".join(parts) + "\n"
    return made


def main(arguments):
    folders = [argument for argument in arguments if not argument.startswith("-")]
    folder = folders[0] if folders else os.path.join(record.SOURCE, "docs", "benchmarks")
    soak, stale = os.path.join(folder, "reliability-soak.json"), []
    for path, content in pages(folder).items():
        if "--check" not in arguments:
            with open(path, "w") as file:
                file.write(content)
            continue
        try:
            with open(path) as file:
                same = file.read() == content
        except OSError:
            same = False
        if not same:
            stale.append(path)
    path, sources = os.path.join(folder, PLOT), (soak, os.path.abspath(__file__))
    if os.path.exists(soak) and "--check" not in arguments:
        with open(soak) as file:
            made = json.load(file)
        plots.write(path, lambda: plot(made), WORDS, sources)
    elif os.path.exists(soak) and not plots.is_fresh(path, sources):
        stale.append(path)
    for path in stale:
        print("%s is not what the records say: run tests/reliability/report.py" % path)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
