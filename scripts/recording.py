# SPDX-License-Identifier: Apache-2.0
"""The recorder behind scripts/record.sh: parts, what must hold before one is measured, and the list of what
is recorded, docs/benchmarks/records.json.

Parts are made in a folder beside the records and moved there when they are complete. The commit of a record
is the last one that touches more than docs/: committing a record does not make it stale."""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RECORDS = "records.json"
BY_HAND = (
    "README.md",
    "faults.md",
    "fuzzing.md",
    "gpu.md",
    "ladder-h200.svg",
)  # pages that people write, and their plots
MOST_LOAD, MOST_BUSY, MOST_NOISE = (
    0.5,
    0.05,
    0.05,
)  # load, share of all processors in use, noise of reading memory
FAILED, USAGE, NOT_NOW = 1, 64, 75
IMPOSSIBLE = (69, 77)  # exit codes of programs that lack what they need: a GPU, systemd


class Refused(Exception):
    def __init__(self, text, exit_code=NOT_NOW):
        super().__init__(text)
        self.exit_code = exit_code


class Part:
    """commands: a shell script; {build} and {made} are folders, {head} a line about the machine. files: what
    it leaves in {made}. after: a script that makes pages and plots of the files once they are in place; not
    with --output."""

    def __init__(self, name, commands, files, quick=None, after=""):
        self.name, self.commands, self.files, self.quick, self.after = (
            name,
            commands,
            files,
            quick or commands,
            after,
        )


PARTS = (
    Part(
        "cpu",
        "python3 tools/bench/peers --build {build} --rounds 5 --output {made}/cpu.md --json {made}/cpu.json",
        ("cpu.md", "cpu.json"),
        "python3 tools/bench/peers --build {build} --quick --only reduce "
        "--output {made}/cpu.md --json {made}/cpu.json",
    ),
    Part(
        "methods",
        "cmake --build {build} --target entropy_map_methods topk_methods\n"
        "for isa in avx512 avx2 sse2; do\n"
        "    TEGU_CPU_ISA=$isa {build}/tests/entropy_map_methods tests/data/camera.pgm\n"
        "done >{made}/entropy-map-methods.rows\n"
        "{{ printf 'isa\\ttype\\trange\\tlevels\\twindow\\tmethod\\tns_per_pixel\\tnoise\\tpolicy\\n'\n"
        "  cat {made}/entropy-map-methods.rows; }} >{made}/entropy-map-methods.tsv\n"
        "{{ echo '# {head}'; {build}/tests/topk_methods 1000000 10000000 | grep -v '^#'\n"
        "}} >{made}/topk-methods.tsv",
        ("entropy-map-methods.tsv", "topk-methods.tsv"),
        after="scripts/plot-topk.py\nscripts/plot-entropy-map.py",
    ),
    Part(
        "reliability",
        "scripts/reliability.sh all --build {build} --output {made}",
        (
            "reliability.md",
            "reliability-kill.json",
            "reliability-hostile.json",
            "reliability-soak.json",
            "reliability-soak.svg",
        ),
        "scripts/reliability.sh all --quick --build {build} --output {made}",
    ),
    Part(
        "gpu",
        "scripts/gpu-check.sh --build {build} --report {made}/gpu\n"
        "mv {made}/gpu/report.md {made}/gpu-check.md\nmv {made}/gpu/report.json {made}/gpu-check.json",
        ("gpu-check.md", "gpu-check.json"),
    ),
    Part(
        "ladder",
        "{build}/bin/tegu-bench ladder --json >{made}/ladder.json\n"
        "python3 scripts/plot-ladder.py {made}/ladder.json {made}/ladder.svg",
        ("ladder.json", "ladder.svg"),
    ),
)
PLOTS = {"methods": ("entropy-map-methods.svg", "topk-methods.svg")}  # what `after` leaves beside the records


def git(*words):
    done = subprocess.run(
        ("git", "-C", ROOT) + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True
    )
    if done.returncode != 0:
        raise Refused("git %s: %s" % (" ".join(words), done.stderr.strip()))
    return done.stdout.strip()


def commit():
    return git("log", "-1", "--format=%h", "--abbrev=12", "--", ".", ":(exclude)docs")


def changes():
    """Files that differ from the commit; those of docs/ do not count."""
    lines = git("status", "--porcelain", "--untracked-files=normal", "--", ".", ":(exclude)docs").splitlines()
    return [line[2:].strip() for line in lines]


def processor_times():
    """(idle, all) of all processors since the start of the machine, in ticks."""
    with open("/proc/stat") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    return ticks[3] + ticks[4], sum(ticks)


def busy_share(seconds=3.0):
    """Share of the processors' time that others use just now."""
    idle, everything = processor_times()
    time.sleep(seconds)
    idle_after, everything_after = processor_times()
    return 1.0 - (idle_after - idle) / max(1.0, everything_after - everything)


def read_noise(build):
    """Noise of reading memory again and again, as tegu-bench measures it; None where it cannot."""
    command = [
        os.path.join(build, "bin", "tegu-bench"),
        "--json",
        "--filter",
        "^floor/bytes=400000/threads=1$",
        "--repetitions",
        "9",
        "--seconds",
        "0.1",
    ]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120)
        return json.loads(done.stdout.decode())["cases"][0]["noise"]
    except (OSError, ValueError, KeyError, IndexError, subprocess.TimeoutExpired):
        return None


def machine():
    with open("/proc/cpuinfo") as file:
        found = re.search(r"^model name\s*: (.*)$", file.read(), re.M)
    return "%s, %d cores, Linux %s" % (
        found.group(1) if found else platform.machine(),
        os.cpu_count() or 1,
        platform.release(),
    )


def state_of(build=None):
    """What a number means nothing without. build: measures its noise, too."""
    return {
        "commit": commit(),
        "changed": changes(),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "machine": machine(),
        "load": round(os.getloadavg()[0], 2),
        "busy": round(busy_share(), 3),
        "noise": read_noise(build) if build else None,
    }


def objections(state):
    """Why a record should not be made now."""
    found = []
    if state["changed"]:
        found.append("not committed: %s" % ", ".join(state["changed"][:5]))
    if state["load"] > MOST_LOAD:
        found.append("the load is %.2f (at most %g)" % (state["load"], MOST_LOAD))
    if state["busy"] > MOST_BUSY:
        share = (100 * state["busy"], 100 * MOST_BUSY)
        found.append("%.0f %% of the processors are in use (at most %.0f %%)" % share)
    if (state["noise"] or 0) > MOST_NOISE:
        share = (100 * state["noise"], 100 * MOST_NOISE)
        found.append("reading memory has %.1f %% noise (at most %.0f %%)" % share)
    return found


def insist(state, options):
    """Raises Refused unless a record may be made in this state."""
    found = objections(state)
    if found and not options.force:
        raise Refused("%s; change that, or --force" % "; ".join(found))


def head_of(state):
    words = "on %s, commit %s%s, %s, with a load of %.2f before" % (
        state["machine"],
        state["commit"],
        "+" if state["changed"] else "",
        state["date"],
        state["load"],
    )
    return words.replace("'", "")


def read_records(folder):
    try:
        with open(os.path.join(folder, RECORDS), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {"parts": {}}


def write_records(folder, records):
    with open(os.path.join(folder, RECORDS), "w", encoding="utf-8") as out:
        json.dump(records, out, indent=1, sort_keys=True, ensure_ascii=False)
        out.write("\n")


def remove_stale(folder, records, now):
    """Parts of another commit than `now` go, with their files. Returns their names."""
    stale = [name for name, part in records["parts"].items() if part["commit"] != now]
    for name in stale:
        for file in records["parts"].pop(name)["files"]:
            if os.path.exists(os.path.join(folder, file)):
                os.unlink(os.path.join(folder, file))
    return stale


def complaints(folder):
    """Why the folder is not one history: records of several commits, missing files, and files of no
    record."""
    records = read_records(folder)
    commits = {part["commit"] for part in records["parts"].values()}
    found = ["records of several commits: %s" % ", ".join(sorted(commits))] if len(commits) > 1 else []
    owned = {file for part in records["parts"].values() for file in part["files"]}
    here = set(os.listdir(folder))
    found += ["%s is recorded and not there" % name for name in sorted(owned - here)]
    found += ["%s is of no record" % name for name in sorted(here - owned - set(BY_HAND) - {RECORDS})]
    return found


def make(part, build, folder, state, quick):
    """Measures one part and moves its files into place. Returns its entry, or None if it is impossible
    here."""
    made, began = tempfile.mkdtemp(prefix=".record-", dir=folder), time.time()
    try:
        script = (part.quick if quick else part.commands).format(build=build, made=made, head=head_of(state))
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=ROOT)
        if done.returncode in IMPOSSIBLE:
            return None
        missing = [name for name in part.files if not os.path.exists(os.path.join(made, name))]
        if done.returncode != 0 or missing:
            raise Refused(
                "%s failed with %d%s"
                % (part.name, done.returncode, "; it left no " + ", ".join(missing) if missing else ""),
                FAILED,
            )
        for name in part.files:
            os.replace(os.path.join(made, name), os.path.join(folder, name))
    finally:
        shutil.rmtree(made, ignore_errors=True)
    files = list(part.files)
    if part.after and os.path.samefile(folder, os.path.join(ROOT, "docs", "benchmarks")):
        subprocess.run(["bash", "-euo", "pipefail", "-c", part.after], cwd=ROOT, check=True)
        files += PLOTS.get(part.name, ())
    return dict(state, files=files, seconds=round(time.time() - began), quick=quick)


def build_of(options):
    if options.build:
        return os.path.abspath(options.build)
    subprocess.run(
        ["scripts/build.sh", "release", "-DTEGU_TESTS=ON", "-DTEGU_BENCH=ON"], cwd=ROOT, check=True
    )
    return os.path.join(ROOT, "build", "release")


def record(options, parts):
    folder = os.path.abspath(options.output)
    os.makedirs(folder, exist_ok=True)
    insist(state_of(), options)  # before the build, which takes minutes
    build = build_of(options)
    records = read_records(folder)
    for part in parts:
        known = records["parts"].get(part.name)
        if known and is_current(known) and not options.again:
            print("record: %s is recorded already, of %s" % (part.name, known["commit"]))
            continue
        state = settled_state(build)
        insist(state, options)
        print("== %s: %s" % (part.name, head_of(state)), flush=True)
        entry = make(part, build, folder, state, options.quick)
        if entry is None:
            print("record: %s is impossible on this machine" % part.name)
            continue
        records["parts"][part.name] = entry
        write_records(folder, records)
    for name in remove_stale(folder, records, commit()):
        print("record: removed %s, of another commit" % name)
    write_records(folder, records)


def is_current(entry):
    return entry["commit"] == commit() and not entry["changed"] and not entry["quick"]


def settled_state(build, patience=120):
    """The state once the load of what ran before has died away, or after `patience` seconds."""
    until = time.monotonic() + patience
    while os.getloadavg()[0] > MOST_LOAD and busy_share(1.0) <= MOST_BUSY and time.monotonic() < until:
        time.sleep(5)
    return state_of(build)


def listing(folder):
    records = read_records(folder)
    for part in PARTS:
        known = records["parts"].get(part.name)
        print(
            "%s: %s"
            % (
                part.name,
                (
                    "%s, %s, noise %s" % (known["commit"], known["date"], known["noise"])
                    if known
                    else "not recorded"
                ),
            )
        )
        print("    files: %s" % ", ".join(part.files + PLOTS.get(part.name, ())))
        print("".join("    %s\n" % line for line in part.commands.splitlines()), end="")


def options_of(arguments):
    parser = argparse.ArgumentParser(
        prog="record.sh",
        description="Makes the records of docs/benchmarks; the head of record.sh explains all.",
    )
    parser.add_argument("parts", metavar="PART", nargs="*", help=", ".join(part.name for part in PARTS))
    parser.add_argument("--build")
    parser.add_argument("--output", default=os.path.join(ROOT, "docs", "benchmarks"))
    for flag in ("--force", "--quick", "--list", "--check", "--again"):
        parser.add_argument(flag, action="store_true")
    options = parser.parse_args(arguments)
    unknown = set(options.parts) - {part.name for part in PARTS}
    if unknown:
        raise Refused(
            "there is no part %s (%s)" % (", ".join(sorted(unknown)), ", ".join(part.name for part in PARTS)),
            USAGE,
        )
    if options.quick and options.output == parser.get_default("output"):
        raise Refused("--quick proves nothing and needs --output FOLDER", USAGE)
    return options


def main(arguments):
    try:
        options = options_of(arguments)
        if options.list:
            listing(options.output)
        elif options.check:
            found = complaints(options.output)
            for line in found:
                print("record: %s" % line)
            return FAILED if found else 0
        else:
            record(
                options,
                [part for part in PARTS if part.name in (options.parts or [one.name for one in PARTS])],
            )
    except Refused as error:
        print("record: %s" % error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
