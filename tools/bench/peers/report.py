# SPDX-License-Identifier: Apache-2.0
"""Goals with what was measured, as Markdown and as JSON.

A group is measured in rounds: each round times every peer of the group once and runs the cases of tegu-bench
once, with the time to read as many bytes beside them. A line of a group compares one case with a peer, with
another case or with that floor, within the rounds."""

import json
import platform
import statistics
import time


def timed(function, runs):
    """Median of the seconds that `runs` calls take, after one that does not count; a single call counts
    itself."""
    if runs > 1:
        function()
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        function()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def noise(values):
    """Median deviation from the median, relative to it."""
    middle = statistics.median(values)
    return statistics.median(abs(value - middle) for value in values) / middle if middle else 0.0


def text_of(seconds):
    for limit, unit, factor in ((1e-6, "ns", 1e9), (1e-3, "us", 1e6), (1, "ms", 1e3)):
        if seconds < limit:
            return "%.3g %s" % (seconds * factor, unit)
    return "%.2f s" % seconds


class Group:
    """Rounds of one set of data."""

    def __init__(self, report, cases, peers=None, rounds=None, threads=None, calls=3, seconds=0.15):
        """peers: name -> function without arguments that is called and timed `calls` times a round. seconds:
        of each case of tegu."""
        self.report, self.peers, self.tegu = report, peers or {}, {name: [] for name in cases}
        self.peer_seconds = {name: [] for name in self.peers}
        quick = report.tegu.quick
        for _ in range(1 if quick else min(rounds or report.rounds, report.rounds)):
            for name, peer in self.peers.items():
                self.peer_seconds[name].append(timed(peer, 1 if quick else calls))
            for name, case in report.tegu.cases(cases, threads, seconds).items():
                self.tegu[name].append(case)

    def seconds(self, case):
        return [figures["median_ns"] / 1e9 for figures in self.tegu[case]]

    def faster_than(self, what, case, peer, times=None):
        """How many times as fast as the peer; wanted: at least `times`."""
        ours, theirs = self.seconds(case), self.peer_seconds[peer]
        wanted = "" if times is None else "not slower" if times == 1 else "%g times as fast" % times
        self.report.line(
            what,
            wanted,
            [b / a for a, b in zip(ours, theirs)],
            "%.2f times",
            None if times is None else lambda ratio: ratio >= times,
            ours,
            peer,
            theirs,
        )

    def share_of(self, what, case, peer, limit):
        """Time as a share of the peer's; wanted: at most `limit`."""
        ours, theirs = self.seconds(case), self.peer_seconds[peer]
        self.report.line(
            what,
            "at most %g of it" % limit,
            [a / b for a, b in zip(ours, theirs)],
            "%.4f of it",
            lambda ratio: ratio <= limit,
            ours,
            peer,
            theirs,
        )

    def of_floor(self, what, case, least=None):
        """Speed as a share of the read floor of as many bytes."""
        shares = [figures["of_floor"] for figures in self.tegu[case]]
        ours = self.seconds(case)
        self.report.line(
            what,
            "" if least is None else "at least %g of the read floor" % least,
            shares,
            "%.2f of it",
            None if least is None else lambda share: share >= least,
            ours,
            "read floor",
            [share * seconds for share, seconds in zip(shares, ours)],
        )

    def within(self, what, cases, bases, limit, names):
        """Time of the worst of some cases against its base in the same rounds."""
        worst = max(zip(cases, bases, names), key=lambda one: statistics.median(self.ratios(one[0], one[1])))
        self.report.line(
            what,
            "at most %g of it" % limit,
            self.ratios(worst[0], worst[1]),
            "%.2f of it",
            lambda ratio: ratio <= limit,
            self.seconds(worst[0]),
            worst[2],
            self.seconds(worst[1]),
        )

    def ratios(self, case, base):
        return [a / b for a, b in zip(self.seconds(case), self.seconds(base))]

    def below(self, what, case, limit):
        ours = self.seconds(case)
        self.report.line(
            what, "below " + text_of(limit), ours, text_of, lambda seconds: seconds < limit, ours
        )


class Report:
    def __init__(self, tegu, rounds):
        self.tegu, self.rounds, self.lines, self.sections, self.versions = tegu, rounds, [], [], {}
        self.notes = {}

    def section(self, heading):
        self.sections.append((heading, len(self.lines)))

    def note(self, text):
        """Text below the table of the section."""
        self.notes[self.sections[-1][0]] = text

    def group(self, *arguments, **more):
        return Group(self, *arguments, **more)

    def line(self, what, wanted, values, form, met, ours=(), peer="", theirs=()):
        """values: one a round. form: a pattern or a function of their median. met: of their median; None: no
        goal."""
        value = statistics.median(values)
        one = {
            "what": what,
            "wanted": wanted,
            "measured": form(value) if callable(form) else form % value,
            "value": value,
            "noise": noise(values),
            "rounds": len(values),
            "met": None if met is None else bool(met(value)),
            "peer": peer,
        }
        if ours:
            one["tegu_seconds"] = statistics.median(ours)
        if theirs:
            one["peer_seconds"] = statistics.median(theirs)
        self.lines.append(one)
        print(row_of(one), flush=True)

    def finish(self, command, load, seconds, cases):
        found = self.tegu.report(["floor/bytes=400000/threads=1"], 0.05)
        self.run = {
            "command": command,
            "commit": found["commit"],
            "date": found["date"],
            "device": found["device"],
            "load_before": load,
            "seconds": seconds,
            "threads": self.tegu.threads,
            "rounds": self.rounds,
            "python": platform.python_version(),
            "versions": self.versions,
        }
        self.table = (
            self.tegu.run(*([] if self.tegu.quick else ["--repetitions", "3", "--seconds", "0.1"]))
            if cases
            else ""
        )

    def json(self):
        return json.dumps(dict(self.run, goals=self.lines), indent=1) + "\n"

    def markdown(self):
        device = self.run["device"]
        with_goal = [one for one in self.lines if one["met"] is not None]
        text = HEAD % dict(
            self.run,
            cpu=device["cpu"],
            cores=device["cores"],
            isa=device["isa"],
            kernel=device["kernel"],
            build=device["build"],
            met=sum(one["met"] for one in with_goal),
            goals=len(with_goal),
            versions=", ".join("%s %s" % item for item in sorted(self.versions.items())),
        )
        ends = [start for _, start in self.sections[1:]] + [len(self.lines)]
        for (heading, start), end in zip(self.sections, ends):
            text += "\n## %s\n\n%s\n%s\n" % (
                heading,
                COLUMNS,
                "\n".join(row_of(one) for one in self.lines[start:end]),
            )
            if heading in self.notes:
                text += "\n%s\n" % self.notes[heading]
        return text + ("\n" + CASES + self.table if self.table else "")


def row_of(one):
    met = {None: "", True: "yes", False: "**no**"}[one["met"]]
    tegu = text_of(one["tegu_seconds"]) if "tegu_seconds" in one else ""
    peer = one["peer"] + (": " + text_of(one["peer_seconds"]) if "peer_seconds" in one else "")
    spread = "%.1f %%" % (100 * one["noise"]) if one["rounds"] > 1 else ""
    return "| %s | %s | %s | %s | %s | %s | %s |" % (
        one["what"],
        one["wanted"],
        one["measured"],
        met,
        spread,
        tegu,
        peer,
    )


COLUMNS = """| what | wanted | measured | met | noise | tegu | beside |
|---|---|---|---|---|---|---|"""

HEAD = """# tegu beside its peers

Written by `%(command)s`, commit %(commit)s, %(date)s, in %(seconds).0f s, on %(cpu)s, %(cores)d cores,
%(isa)s kernels, Linux %(kernel)s, %(build)s; %(versions)s; load before the run %(load_before).2f.
%(met)d of %(goals)d goals are met.

Peer and tegu took turns for up to %(rounds)d rounds; *measured* is the median over the rounds of the ratio
within a round, *noise* the median deviation from it, relative to it. tegu used %(threads)d threads unless a
line says otherwise. The read floor is reading as many bytes once with plain vector loads, on as many
threads. Lines without a goal are there to compare.
"""

CASES = """## Every case of tegu-bench

`noise` is the median deviation from the median over the repetitions, `cpu_us` the processor time of all
threads for one run, the least of the repetitions: what is left of a time on a busy machine. `of_floor` is
the speed as a share of reading as many bytes once. GB/s count bytes read and written, 1 GB = 1e9 B.

"""
