#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes one table of the kernels on sm_53, 62, 72 and 87: registers, local memory, shared memory, occupancy.
The compiler reports registers, the list of kernels (kernel_blocks.cpp) the block of each launch.
The occupancy is computed from both by the limits of the architecture.

    scripts/kernel_resources.py BUILD    BUILD: the folder that scripts/build-nano.sh compiled in
        --all FILE       writes all kernels, as CSV
        --families FILE  writes a row for each family of kernels and architecture, as CSV
        --page FILE      writes the table of the families, as Markdown
        --page-of FILE   the rows for --page, if there is no BUILD
"""

import argparse
import collections
import csv
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHEETS = os.path.join(ROOT, "scripts", "data", "jetson_data_sheets.csv")
# The board whose launches stand for an architecture: a key of jetson_data_sheets.csv.
BOARDS = collections.OrderedDict(
    [(53, "jetson-nano"), (62, "jetson-tx2"), (72, "jetson-xavier"), (87, "jetson-orin-nano")]
)

# --- occupancy ---------------------------------------------------------------------------------------------
# Of one multiprocessor, from the occupancy calculator among the headers of the toolkit. A block's shared
# memory includes `reserved`.
Limits = collections.namedtuple("Limits", "shared_kib blocks shared_unit reserved")
LIMITS = {
    53: Limits(64, 32, 256, 0),
    62: Limits(64, 32, 256, 0),
    72: Limits(96, 32, 256, 0),
    87: Limits(164, 16, 128, 1024),
}
REGISTERS, PARTITIONS, WARP, REGISTER_UNIT = 65536, 4, 32, 256


def rounded(number, unit):
    return -(-number // unit) * unit


def blocks_by_registers(registers, warps, registers_per_block):
    of_warp = rounded(registers * WARP, REGISTER_UNIT)
    if of_warp * rounded(warps, PARTITIONS) > registers_per_block:
        return 0
    return REGISTERS // PARTITIONS // of_warp * PARTITIONS // warps


def resident_blocks(architecture, board, registers, threads, shared_bytes):
    """Blocks of one multiprocessor at once, and the resource that limits them."""
    limits, warps = LIMITS[architecture], rounded(threads, WARP) // WARP
    shared = rounded(shared_bytes + limits.reserved, limits.shared_unit)
    by = collections.OrderedDict()
    by["threads"] = int(board["threads_per_multiprocessor"]) // WARP // warps
    by["blocks"] = limits.blocks
    by["registers"] = blocks_by_registers(registers, warps, int(board["registers_per_block"]))
    if shared > 0:
        fits = shared <= int(board["shared_kib_per_block"]) * 1024 + limits.reserved
        by["shared"] = limits.shared_kib * 1024 // shared if fits else 0
    limit = min(by, key=lambda name: by[name])
    return by[limit], limit


# --- reading -----------------------------------------------------------------------------------------------
Usage = collections.namedtuple("Usage", "registers local spilled shared")


def usages(text):
    """What `ptxas -v` reports: {(architecture, symbol): Usage}. `local`: bytes of a thread, with `spilled`,
    the bytes of its stores of registers."""
    found, key, local, spilled = {}, None, 0, 0
    for line in text.splitlines():
        entry = re.search(r"Compiling entry function '(\S+)' for 'sm_(\d+)'", line)
        frame = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores", line)
        used = re.search(r"Used (\d+) registers(?:.*?(\d+) bytes smem)?", line)
        if entry:
            key, local, spilled = (int(entry.group(2)), entry.group(1)), 0, 0
        elif frame:  # also of each function that it calls
            local, spilled = local + int(frame.group(1)), spilled + int(frame.group(2))
        elif used and key:
            found[key] = Usage(int(used.group(1)), local, spilled, int(used.group(2) or 0))
            key = None
    return found


def usages_of_build(build):
    found = {}
    for folder, _, names in os.walk(build):
        for name in names:
            if name.endswith(".cu.o.ptxas"):
                with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as text:
                    found.update(usages(text.read()))
    return found


def rows_of_csv(path):
    """The rows of a file of scripts/data; its first lines are comments."""
    with open(path, encoding="ascii") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def boards():
    by_key = {row["key"]: row for row in rows_of_csv(SHEETS)}
    return {architecture: by_key[key] for architecture, key in BOARDS.items()}


def device_text(architecture, board):
    """The device as an argument of kernel-blocks."""
    shared, l2 = int(board["shared_kib_per_block"]) << 10, int(board["l2_kib"]) << 10
    numbers = (architecture, board["multiprocessors"], board["threads_per_multiprocessor"], shared, l2)
    return ",".join(str(number) for number in numbers)


def symbols_by_value(nm_text):
    return {int(value, 16): name for value, _, name in re.findall(r"^(\w+) (\w) (\S+)$", nm_text, re.M)}


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode()


FIELDS = ("kernel", "architecture", "registers", "local", "spilled", "static_shared", "dynamic_shared")
FIELDS += ("threads", "blocks", "limit", "occupancy")


def row_of(name, architecture, usage, threads, dynamic_shared, board):
    shared = usage.shared + dynamic_shared
    blocks, limit = resident_blocks(architecture, board, usage.registers, threads, shared)
    occupancy = round(100 * blocks * threads / int(board["threads_per_multiprocessor"]))
    values = (name, architecture, usage.registers, usage.local, usage.spilled, usage.shared, dynamic_shared)
    return dict(zip(FIELDS, values + (threads, blocks, limit, occupancy)))


def joined(blocks_text, symbols, found, sheets):
    """The rows of all kernels, from the lines of kernel-blocks. A kernel without a report is an error."""
    rows = []
    for line in blocks_text.splitlines():
        capability, value, threads, shared, name = line.split("\t")
        architecture = int(capability)
        symbol = symbols.get(int(value, 16))
        if (architecture, symbol) not in found:
            sys.exit("kernel_resources: the compiler reported nothing of %s for sm_%d" % (name, architecture))
        usage, sheet = found[(architecture, symbol)], sheets[architecture]
        rows.append(row_of(name, architecture, usage, int(threads), int(shared), sheet))
    return rows


def rows_of_build(build):
    program = os.path.join(build, "bin", "kernel-blocks")
    found, sheets = usages_of_build(build), boards()
    compiled = {architecture for architecture, _ in found}
    devices = [device_text(each, sheets[each]) for each in BOARDS if each in compiled]
    return joined(output_of(program, *devices), symbols_by_value(output_of("nm", program)), found, sheets)


# --- families: the instances of one template that differ in types and numbers alone ------------------------
TYPES = {"u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f16", "f32", "f64"}
FAMILY_FIELDS = ("kernel", "architecture", "variants", "least_registers", "registers", "local", "spilled")
FAMILY_FIELDS += ("shared", "least_occupancy", "occupancy", "limit")


def family_of(kernel):
    """ "reduce_float<f32, sum>" belongs to "reduce_float<sum>"."""
    stem, _, arguments = kernel.rstrip(">").partition("<")
    words = [word for word in arguments.split(", ") if word and word not in TYPES and not word.isdigit()]
    return stem + ("<%s>" % ", ".join(words) if words else "")


def families(rows):
    """A row for each family and architecture: the worst of its instances, and ranges."""
    groups = collections.OrderedDict()
    for row in rows:
        groups.setdefault((family_of(row["kernel"]), row["architecture"]), []).append(row)
    made = []
    for (stem, architecture), group in groups.items():
        worst = min(group, key=lambda row: row["occupancy"])
        values = [stem, architecture, len(group)]
        values += [min(row["registers"] for row in group), max(row["registers"] for row in group)]
        values += [max(row["local"] for row in group), max(row["spilled"] for row in group)]
        values += [max(row["static_shared"] + row["dynamic_shared"] for row in group)]
        values += [worst["occupancy"], max(row["occupancy"] for row in group), worst["limit"]]
        made.append(dict(zip(FAMILY_FIELDS, values)))
    return made


# --- writing -----------------------------------------------------------------------------------------------


def write_csv(path, fields, rows, note=""):
    with open(path, "w", encoding="ascii", newline="") as file:
        file.write(note)
        writer = csv.DictWriter(file, fields, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_families(path):
    text = ("kernel", "limit")
    return [
        {key: value if key in text else int(value) for key, value in row.items()} for row in rows_of_csv(path)
    ]


def range_text(low, high):
    return str(low) if low == high else "%d-%d" % (low, high)


def cell(row):
    local = str(row["local"]) + (" (%d)" % row["spilled"] if row["spilled"] else "")
    registers = range_text(row["least_registers"], row["registers"])
    occupancy = range_text(row["least_occupancy"], row["occupancy"])
    return " / ".join((registers, local, "%.1f" % (row["shared"] / 1024), occupancy))


def table(rows):
    architectures = sorted({row["architecture"] for row in rows})
    by_key = {(row["kernel"], row["architecture"]): row for row in rows}
    stems = list(collections.OrderedDict.fromkeys(row["kernel"] for row in rows))
    lines = ["| kernel | instances | " + " | ".join("sm_%d" % each for each in architectures) + " |"]
    lines.append("|---|---:|" + "---|" * len(architectures))
    for stem in stems:
        cells = [cell(by_key[(stem, each)]) for each in architectures if (stem, each) in by_key]
        variants = by_key[(stem, architectures[0])]["variants"]
        lines.append("| `%s` | %d | %s |" % (stem, variants, " | ".join(cells)))
    return lines


MADE = "<!-- made by scripts/kernel_resources.py -->"
END = "<!-- end -->"


def with_table(page, lines):
    """The page with the lines in place of those between its two marks."""
    before, after = page.split(MADE)[0], page.split(END)[1]
    return before + "\n".join([MADE] + lines + [END]) + after


def write_page(path, rows):
    with open(path, encoding="utf-8") as file:
        page = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(with_table(page, table(rows)))


FAMILIES_NOTE = """\
# Resources of the kernels, made by scripts/build-nano.sh --record: a row for each family and architecture.
# Nothing was measured on a board: the compiler reported registers and memory, the occupancy is computed.
# local, spilled: bytes of a thread. shared: bytes of a block. occupancy: percent. limit: of the least one.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", nargs="?")
    for name in ("--all", "--families", "--page", "--page-of"):
        parser.add_argument(name, metavar="FILE")
    options = parser.parse_args()
    if (options.build is None) == (options.page_of is None):
        parser.error("either BUILD or --page-of")
    if options.page_of:
        made = read_families(options.page_of)
    else:
        rows = rows_of_build(options.build)
        made = families(rows)
        if options.all:
            write_csv(options.all, FIELDS, rows)
    if options.families:
        write_csv(options.families, FAMILY_FIELDS, made, FAMILIES_NOTE)
    if options.page:
        write_page(options.page, made)
    if not options.page:
        print("\n".join(table(made)))


if __name__ == "__main__":
    main()
