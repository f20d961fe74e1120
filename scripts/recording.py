# SPDX-License-Identifier: Apache-2.0
"""The recorder behind scripts/record.sh: what must hold before a part (record_parts.py) is measured, and the
list of what is recorded, docs/benchmarks/records.json.

Parts are made in a folder beside the records and moved there when they are complete. The commit of a record
is the last one that touches more than docs/: committing a record does not make it stale.

Files of some parts are named by the GPU, or by the board, that they were measured on. Such a part has a
commit of its own, in records.json or in its JSON file. It stays when another machine records, which cannot
make it again. All other parts are of one commit."""

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

import record_parts  # noqa: F401
from record_parts import PARTS, Part, here  # noqa: F401

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RECORDS = "records.json"
BY_HAND = (
    "README.md",
    "faults.md",
    "fuzzing.md",
    "gpu.md",
    "ladder-h200.svg",
)  # pages that people write, and their plots
OF_ALL_BOARDS = ("boards/report.html", "boards/report.md")  # made of all files of the part board
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
    """Parts of any machine that are of another commit than `now` go, with their files. Returns their
    names."""
    parts = records["parts"]
    stale = [name for name, part in parts.items() if not part.get("key") and part["commit"] != now]
    for name in stale:
        for file in parts.pop(name)["files"]:
            if os.path.exists(os.path.join(folder, file)):
                os.unlink(os.path.join(folder, file))
    return stale


def files_in(folder):
    """Names of all files, with the folders below `folder`."""
    found = set()
    for path, _, names in os.walk(folder):
        found |= {os.path.relpath(os.path.join(path, name), folder) for name in names}
    return found


def commit_in(path):
    """The commit that a JSON file names itself, or None."""
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        identity = content.get("identity", {}).get("tegu", {})
    except (OSError, ValueError, AttributeError):
        return None
    return content.get("commit") or identity.get("commit")


def with_own_commit(folder, files):
    """Entries for files of a GPU or board that were recorded elsewhere: each has a JSON that names its
    commit."""
    found = {}
    for file in sorted(files):
        matches = [(part.match(file), part) for part in PARTS if part.match(file)]
        if not matches:
            continue
        (_, key), part = max(matches, key=lambda match: match[0])
        entry = found.setdefault(part.entry_name(key), {"key": key, "files": [], "commit": None})
        entry["files"].append(file)
        entry["commit"] = entry["commit"] or commit_in(os.path.join(folder, file))
    return {name: entry for name, entry in found.items() if entry["commit"]}


def all_entries(folder):
    """name -> entry: those of records.json, and those that name their commit themselves."""
    entries = read_records(folder)["parts"]
    owned = {file for part in entries.values() for file in part["files"]}
    return dict(with_own_commit(folder, files_in(folder) - owned), **entries)


def complaints(folder):
    """Why the folder is not one history: parts of any machine of several commits, missing files, and files of
    no record."""
    entries = all_entries(folder)
    commits = {part["commit"] for part in entries.values() if not part.get("key")}
    found = ["records of several commits: %s" % ", ".join(sorted(commits))] if len(commits) > 1 else []
    owned = {file for part in entries.values() for file in part["files"]}
    known = owned | set(BY_HAND) | {RECORDS}
    if any(file.startswith("boards/") for file in owned):
        known |= set(OF_ALL_BOARDS)
    there = files_in(folder)
    found += ["%s is recorded and not there" % name for name in sorted(owned - there)]
    found += ["%s is of no record" % name for name in sorted(there - known)]
    return found


def check(folder):
    """Prints the commit of each part, then what is wrong. Returns the exit code."""
    for name, part in sorted(all_entries(folder).items()):
        print("%s: %s" % (name, part["commit"]))
    found = complaints(folder)
    for line in found:
        print("record: %s" % line)
    return FAILED if found else 0


def name_commit(path, state):
    """A JSON object that does not name its commit gets it as its first member."""
    if not path.endswith(".json") or commit_in(path):
        return
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if not text.startswith("{"):
        return
    with open(path, "w", encoding="utf-8") as out:
        out.write('{"commit": "%s", "date": "%s",%s' % (state["commit"], state["date"], text[1:]))


def make(part, build, folder, state, quick):
    """Measures one part and moves its files into place. Returns its entry, or None if it is impossible
    here."""
    words = here()
    files = [name.format(**words) for name in part.files]
    made, began = tempfile.mkdtemp(prefix=".record-", dir=folder), time.time()
    try:
        script = part.quick if quick else part.commands
        script = script.format(build=build, made=made, head=head_of(state), **words)
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=ROOT)
        if done.returncode in IMPOSSIBLE:
            return None
        missing = [name for name in files if not os.path.exists(os.path.join(made, name))]
        if done.returncode != 0 or missing:
            raise Refused(
                "%s failed with %d%s"
                % (part.name, done.returncode, "; it left no " + ", ".join(missing) if missing else ""),
                FAILED,
            )
        for name in files:
            if part.of:
                name_commit(os.path.join(made, name), state)
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            os.replace(os.path.join(made, name), os.path.join(folder, name))
    finally:
        shutil.rmtree(made, ignore_errors=True)
    if part.after and os.path.samefile(folder, os.path.join(ROOT, "docs", "benchmarks")):
        subprocess.run(["bash", "-euo", "pipefail", "-c", part.after], cwd=ROOT, check=True)
    return dict(state, key=part.key(words), files=files, seconds=round(time.time() - began), quick=quick)


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
        key = part.key(here())
        if key is None:
            print("record: %s is impossible on this machine" % part.name)
            continue
        name = part.entry_name(key)
        known = records["parts"].get(name)
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
        records["parts"][name] = entry
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
    entries, words = all_entries(folder), here()
    for part in PARTS:
        known = entries.get(part.entry_name(part.key(words)))
        text = "not recorded"
        if known:
            text = "%s, %s, noise %s" % (known["commit"], known.get("date"), known.get("noise"))
        print("%s: %s" % (part.name, text))
        print("    files: %s" % ", ".join(part.files))
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
            return check(options.output)
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
