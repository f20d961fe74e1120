# SPDX-License-Identifier: Apache-2.0
"""The parts of scripts/record.sh: how each is measured and which files it leaves; and what names this machine
in files of parts that are of one GPU or board."""

import os
import re
import subprocess

# 69: there is no table of this GPU. tegu-tune ends with 1 where a job is slower: that is a result, too.
CHECK_TABLE = (
    "table=$(ls config/devices/*{gpu}-[0-9]*.toml 2>/dev/null | head -1) || exit 69\n"
    "{build}/bin/tegu-tune check $table --backend gpu --minutes %g --json --quiet "
    ">{made}/tuning-{gpu}.json ||\n"
    "    [ $? -eq 1 ]"
)


class Part:
    """commands: a shell script; {build} and {made} are folders, {head} a line about the machine. files: what
    it leaves in {made}. after: a script that makes pages and plots of the files once they are in place; not
    with --output. With {gpu} or {board} in the names of files it is a part of such a machine."""

    def __init__(self, name, commands, files, quick=None, after=""):
        self.name, self.commands, self.files, self.quick, self.after = (
            name,
            commands,
            files,
            quick or commands,
            after,
        )
        self.of = next((word for word in ("gpu", "board") if "{%s}" % word in files[0]), None)

    def key(self, here):
        """Nothing for a part of any machine; else the GPU or board, None where there is none."""
        return here[self.of] if self.of else ""

    def entry_name(self, key):
        return "%s-%s" % (self.name, key) if key else self.name

    def match(self, file):
        """(length of the plain words, key) if the file can be one of this part's; else None."""
        found = []
        for form in self.files if self.of else ():
            begin, end = form.split("{%s}" % self.of)
            key = file[len(begin) : len(file) - len(end)]
            if file.startswith(begin) and file.endswith(end) and re.match("[a-z0-9-]+$", key):
                found.append((len(begin) + len(end), key))
        return max(found) if found else None


PARTS = (
    Part(
        "cpu",
        "python3 tools/bench/peers --build {build} --rounds 5 --output {made}/cpu.md --json {made}/cpu.json",
        ("cpu.md", "cpu.json"),
        "python3 tools/bench/peers --build {build} --quick --only reduce "
        "--output {made}/cpu.md --json {made}/cpu.json",
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
        "board",
        "mkdir {made}/boards\n"
        "{build}/bin/tegu-bench run --minutes 10 --restart -o {made}/boards/{board}.json",
        ("boards/{board}.json",),
        "mkdir {made}/boards\n{build}/bin/tegu-bench run --quick --restart -o {made}/boards/{board}.json",
        after="scripts/compare-boards.sh",
    ),
    Part(
        "gpu",
        "scripts/gpu-check.sh --build {build} --report {made}/gpu\n"
        "mv {made}/gpu/report.md {made}/gpu-check-{gpu}.md\n"
        "mv {made}/gpu/report.json {made}/gpu-check-{gpu}.json",
        ("gpu-check-{gpu}.md", "gpu-check-{gpu}.json"),
    ),
    Part(
        "ladder",
        "{build}/bin/tegu-bench ladder --json >{made}/ladder-{gpu}.json\n"
        "python3 scripts/plot-ladder.py {made}/ladder-{gpu}.json {made}/ladder-{gpu}.svg",
        ("ladder-{gpu}.json", "ladder-{gpu}.svg"),
    ),
    Part(
        "placement",
        "{build}/bin/tegu-bench placement -s 0.2 -o {made}/placement-{gpu}.json\n"
        "{build}/bin/tegu-bench placement --beside --seconds 10 -o {made}/placement-beside-{gpu}.json\n"
        "python3 scripts/plot-placement.py {made}/placement-{gpu}.json {made}/placement-{gpu}.svg",
        ("placement-{gpu}.json", "placement-beside-{gpu}.json", "placement-{gpu}.svg"),
        "{build}/bin/tegu-bench placement -s 0.01 -o {made}/placement-{gpu}.json\n"
        "{build}/bin/tegu-bench placement --beside --seconds 1 -o {made}/placement-beside-{gpu}.json\n"
        "python3 scripts/plot-placement.py {made}/placement-{gpu}.json {made}/placement-{gpu}.svg",
        after="scripts/plot-placement.py",
    ),
    Part("tuning", CHECK_TABLE % 2, ("tuning-{gpu}.json",), CHECK_TABLE % 0.2),
)


def slug(name):
    """ "NVIDIA H200" is "h200"."""
    words = re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")
    return words[len("nvidia-") :] if words.startswith("nvidia-") else words


def gpu_name():
    """Of the first GPU as its driver lists it, of a Jetson the board; "" where there is none."""
    try:
        done = subprocess.run(
            ("nvidia-smi", "--query-gpu=name", "--format=csv,noheader"),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            universal_newlines=True,
        )
        if done.returncode == 0 and done.stdout.strip():
            return done.stdout.splitlines()[0].strip()
    except OSError:
        pass
    if not any(map(os.path.exists, ("/dev/nvhost-gpu", "/dev/nvgpu"))):
        return ""
    with open("/proc/device-tree/model") as file:
        return file.read().strip("\0\n ")


def here():
    """What names the files of this machine's parts: {gpu} and {board}."""
    gpu = slug(gpu_name()) or None
    return {"gpu": gpu, "board": "nvidia-" + gpu if gpu else "cpu-%d-cores" % (os.cpu_count() or 1)}
