#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/kernel_resources.py with recorded output of ptxas, nm and kernel-blocks. The page of docs/ shows
the rows of scripts/data/kernel_resources.csv."""

import os
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "scripts"))
import kernel_resources as resources  # noqa: E402

FAMILIES = os.path.join(SOURCE, "scripts", "data", "kernel_resources.csv")
PAGE = os.path.join(SOURCE, "docs", "benchmarks", "boards", "registers.md")

# nvcc 11.8: a kernel that spills, one that keeps an array, and a warning of the front end.
PTXAS = """\
kernels/statistics/cuda/integer_lane.cuh(131): warning #128-D: loop is not reachable
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z10sample_cutIjEv' for 'sm_53'
ptxas info    : Function properties for _Z10sample_cutIjEv
    272 bytes stack frame, 568 bytes spill stores, 736 bytes spill loads
ptxas info    : Used 32 registers, 8600 bytes smem, 488 bytes cmem[0], 60 bytes cmem[2]
ptxas info    : Compiling entry function '_Z12reduce_bytesIaEv' for 'sm_53'
ptxas info    : Function properties for _Z12reduce_bytesIaEv
    264 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, 768 bytes smem, 520 bytes cmem[0]
ptxas info    : Compiling entry function '_Z12reduce_bytesIaEv' for 'sm_87'
ptxas info    : Function properties for _Z12reduce_bytesIaEv
    264 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Function properties for _Z6finishv
    16 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 60 registers, 500 bytes cmem[0]
"""
NM = """\
0000000000001a10 T main
0000000000004010 W _Z10sample_cutIjEv
0000000000004020 t _Z12reduce_bytesIaEv
                 U cudaMemsetAsync
"""
BLOCKS = "53\t4010\t1024\t0\tsample_cut<u32>\n53\t4020\t512\t4096\treduce_bytes<i8>\n"


class Reading(unittest.TestCase):
    def test_spills_are_told_from_arrays(self):
        found = resources.usages(PTXAS)
        self.assertEqual(found[(53, "_Z10sample_cutIjEv")], resources.Usage(32, 272, 568, 8600))
        self.assertEqual(found[(53, "_Z12reduce_bytesIaEv")], resources.Usage(40, 264, 0, 768))

    def test_functions_that_are_called_count(self):
        self.assertEqual(
            resources.usages(PTXAS)[(87, "_Z12reduce_bytesIaEv")], resources.Usage(60, 280, 8, 0)
        )

    def test_each_kernel_is_joined_with_its_block(self):
        rows = resources.joined(
            BLOCKS, resources.symbols_by_value(NM), resources.usages(PTXAS), resources.boards()
        )
        self.assertEqual([row["kernel"] for row in rows], ["sample_cut<u32>", "reduce_bytes<i8>"])
        self.assertEqual((rows[0]["blocks"], rows[0]["limit"], rows[0]["occupancy"]), (2, "threads", 100))
        self.assertEqual((rows[1]["dynamic_shared"], rows[1]["occupancy"]), (4096, 75))

    def test_a_kernel_without_a_report_is_an_error(self):
        with self.assertRaises(SystemExit):
            resources.joined("53\t4010\t64\t0\tlost\n", {}, {}, resources.boards())

    def test_the_device_is_that_of_the_data_sheet(self):
        self.assertEqual(resources.device_text(53, resources.boards()[53]), "53,1,2048,49152,262144")


class Occupancy(unittest.TestCase):
    # (architecture, registers, threads, shared memory): blocks. A grid of 256000 launches was compared once
    # with the occupancy calculator of CUDA 11.8, cudaOccMaxActiveBlocksPerMultiprocessor().
    BLOCKS = {
        (53, 32, 1024, 0): 2,
        (53, 33, 1024, 0): 0,
        (53, 64, 512, 0): 2,
        (53, 65, 512, 0): 0,
        (53, 128, 256, 0): 2,
        (53, 40, 256, 24000): 2,
        (53, 16, 32, 0): 32,
        (62, 80, 256, 2048): 3,
        (72, 64, 1024, 0): 1,
        (72, 64, 256, 40000): 2,
        (87, 64, 1024, 0): 1,
        (87, 64, 512, 0): 2,
        (87, 24, 96, 0): 16,
        (87, 32, 64, 80000): 2,
        (87, 32, 64, 98304): 1,
    }

    def test_blocks(self):
        sheets = resources.boards()
        for (architecture, registers, threads, shared), blocks in sorted(self.BLOCKS.items()):
            found = resources.resident_blocks(architecture, sheets[architecture], registers, threads, shared)
            self.assertEqual(found[0], blocks, (architecture, registers, threads, shared))


class Families(unittest.TestCase):
    def rows(self):
        usages = ((30, 0, 0, 100, 256), (40, 8, 4, 100, 512), (64, 264, 0, 2000, 512))
        return [
            resources.row_of(
                "one<%d>" % i, 53, resources.Usage(*usage[:4]), usage[4], 1024, resources.boards()[53]
            )
            for i, usage in enumerate(usages)
        ]

    def test_a_family_differs_in_types_and_numbers(self):
        names = {
            "add_packs<f32, 2>": "add_packs",
            "reduce_float<f16, sum, dense>": "reduce_float<sum, dense>",
            "compact_scan": "compact_scan",
        }
        for name, family in names.items():
            self.assertEqual(resources.family_of(name), family)

    def test_a_row_has_the_worst_and_the_ranges(self):
        (family,) = resources.families(self.rows())
        self.assertEqual((family["kernel"], family["variants"]), ("one", 3))
        self.assertEqual(resources.cell(family), "30-64 / 264 (4) / 3.0 / 50-100")
        self.assertEqual(family["limit"], "registers")

    def test_the_table_stands_between_its_marks(self):
        page = "a\n%s\nold\n%s\nb\n" % (resources.MADE, resources.END)
        lines = resources.table(resources.families(self.rows()))
        written = resources.with_table(page, lines)
        self.assertNotIn("old", written)
        self.assertIn("| `one` | 3 | 30-64 / 264 (4) / 3.0 / 50-100 |", written)
        self.assertTrue(written.startswith("a\n") and written.endswith("\nb\n"))

    def test_rows_survive_the_file(self):
        rows = resources.families(self.rows())
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rows.csv")
            resources.write_csv(path, resources.FAMILY_FIELDS, rows, resources.FAMILIES_NOTE)
            self.assertEqual(resources.read_families(path), rows)


class Page(unittest.TestCase):
    def test_it_shows_the_rows(self):
        with open(PAGE, encoding="utf-8") as file:
            page = file.read()
        rows = resources.read_families(FAMILIES)
        self.assertGreater(len(rows), 200)
        self.assertEqual({row["architecture"] for row in rows}, set(resources.BOARDS))
        self.assertEqual(
            resources.with_table(page, resources.table(rows)), page, "run kernel_resources.py --page"
        )

    def test_every_kernel_fits_its_boards(self):
        for row in resources.read_families(FAMILIES):
            self.assertGreater(row["least_occupancy"], 0, (row["kernel"], row["architecture"]))


if __name__ == "__main__":
    unittest.main()
