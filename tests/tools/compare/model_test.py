#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is said of runs: differences and their noise, rankings, roofs, crossovers, seeds, warnings, names,
modelled times."""

import math
import unittest
from dataclasses import replace

import support
from support import board_of, fixtures, small

support.skip_without()
from tegu_compare import caveats, crossover, markdown, modelled, names, noise  # noqa: E402
from tegu_compare import ranking, roofline, sections, seeds, units  # noqa: E402
from tegu_compare.errors import CompareError  # noqa: E402


def two(mine, theirs):
    """Two named boards with these results."""
    boards = [board_of(small("A", mine), "a.json"), board_of(small("B", theirs), "b.json")]
    names.name_boards(boards)
    return boards


def timed(case, seconds, spread=0.0, **more):
    return dict({"case": case, "seconds": seconds, "noise": spread, "repeats": 9}, **more)


class NoiseTest(unittest.TestCase):
    def verdict(self, mine, theirs, spread, **more):
        a, b = two([timed("x 1", mine, spread, **more)], [timed("x 1", theirs, spread, **more)])
        return noise.verdict(a.results[0], b.results[0])

    def test_a_difference_counts_from_three_percent_on(self):
        self.assertEqual(self.verdict(1.0, 1.029, 0), noise.SAME)
        self.assertEqual(self.verdict(1.0, 1.031, 0), noise.FASTER)
        self.assertEqual(self.verdict(1.031, 1.0, 0), noise.SLOWER)

    def test_and_from_three_noises_on(self):
        # 3 * sqrt(0.02^2 + 0.02^2) = 0.0849
        self.assertEqual(self.verdict(1.0, 1.084, 0.02), noise.SAME)
        self.assertEqual(self.verdict(1.0, 1.086, 0.02), noise.FASTER)

    def test_a_time_of_unknown_noise_is_not_taken_as_exact(self):
        self.assertEqual(self.verdict(1.0, 1.2, None), noise.SAME)
        self.assertEqual(self.verdict(1.0, 1.2, 0.001, repeats=2), noise.SAME)
        self.assertEqual(self.verdict(1.0, 1.3, None), noise.FASTER)


class RankingTest(unittest.TestCase):
    def test_the_faster_backend_of_each_board_counts(self):
        a, b = two(
            [timed("x 1", 4.0), timed("x 1", 2.0, backend="cuda"), timed("x 1", 0.1, backend="peer:cub")],
            [timed("x 1", 4.0), timed("x 1", 8.0, backend="cuda")],
        )
        found = ranking.match(a, b)
        self.assertEqual([pair.ratio for pair in found.pairs], [2.0])
        self.assertEqual(found.pairs[0].result.backend, "cuda")

    def test_means_and_sentence(self):
        a, b = two(
            [timed("x 1", 1.0), timed("x 2", 1.0), timed("y 1", 1.0)],
            [timed("x 1", 8.0), timed("x 2", 0.5), timed("y 1", 1.01), timed("z 1", 1.0)],
        )
        found = ranking.match(a, b)
        self.assertAlmostEqual(found.mean(), (8 * 0.5 * 1.01) ** (1 / 3))
        self.assertEqual(
            ranking.sentence(found),
            "A is 1.59× as fast as B in the geometric mean: faster in 1 of 3 cases, "
            "slower in 1, no difference beyond the noise in 1.",
        )
        self.assertEqual(
            ranking.sentence(ranking.match(b, a)), ranking.sentence(found)
        )  # the same from either side

    def test_no_difference_is_said_to_be_none(self):
        a, b = two([timed("x 1", 1.0)], [timed("x 1", 1.01)])
        self.assertEqual(
            ranking.sentence(ranking.match(a, b)), "A and B do not differ beyond the noise in any of 1 cases."
        )

    def test_a_mean_of_differences_within_the_noise_is_none(self):
        a, b = two([timed("x 1", 1.0), timed("y 1", 1.0)], [timed("x 1", 1.02), timed("y 1", 2.0)])
        for board in (a, b):
            board.results = [replace(one, operation=one.case[0]) for one in board.results]
        found = ranking.match(a, b)
        self.assertEqual((found.differs("x"), found.differs("y"), found.differs()), (False, True, True))
        text = markdown.write(sections.report_of([b, a], []))
        self.assertIn("| x | no difference (faster in 0 of 1) |", text)
        self.assertIn("| y | 2.00× faster (faster in 1 of 1) |", text)

    def test_boards_without_a_common_case(self):
        a, b = two([timed("x 1", 1.0)], [timed("x 2", 1.0)])
        self.assertIn("no case in common", ranking.sentence(ranking.match(a, b)))
        self.assertEqual(len(ranking.by_speed([a, b])), 2)

    def test_throttled_times_are_in_no_ranking(self):
        a, b = two(
            [timed("x 1", 1.0, throttled=True), timed("x 2", 1.0)], [timed("x 1", 2.0), timed("x 2", 2.0)]
        )
        found = ranking.match(a, b)
        self.assertEqual(([pair.case for pair in found.pairs], found.throttled), (["x 2"], 1))

    def test_a_time_that_was_not_throttled_goes_first(self):
        a, b = two(
            [timed("x 1", 1.0, throttled=True), timed("x 1", 3.0, backend="cuda")], [timed("x 1", 3.0)]
        )
        self.assertEqual([pair.ratio for pair in ranking.match(a, b).pairs], [1.0])

    def test_order_by_speed(self):
        found = fixtures()
        self.assertEqual([board.name for board in ranking.by_speed(found)][0], "Fixture Jetson O")
        self.assertEqual(
            sorted(board.path for board in ranking.by_speed(found)),
            ["desktop.json", "nano.json", "orin.json"],
        )


class RooflineTest(unittest.TestCase):
    def test_roofs_are_the_fastest_copy_and_what_clocks_allow(self):
        nano = fixtures("nano")[0]
        found = roofline.roofs(nano, "cuda")
        self.assertAlmostEqual(found.bytes_per_second / 19e9, 1, 5)
        self.assertAlmostEqual(found.flops_per_second, 2 * 128 * 921.6e6)
        self.assertAlmostEqual(roofline.roofs(nano, "cpu").bytes_per_second / 6e9, 1, 5)
        self.assertIsNone(roofline.roofs(nano, "cpu").flops_per_second)

    def test_reading_is_no_copy(self):
        results = [
            dict(timed("read", 1.0), part="copy", bytes=9 * 10**9),
            dict(timed("copy", 1.0), part="copy", bytes=4 * 10**9),
            dict(timed("copy on one thread", 1.0), part="copy", bytes=2 * 10**9),
        ]
        self.assertEqual(roofline.roofs(two(results, [])[0], "cpu").bytes_per_second, 4e9)

    def test_compute_capability_in_both_forms(self):
        self.assertEqual(
            [roofline.capability(one) for one in (8.7, 87, 5.3, 53, 11.0, 110, None)],
            [87, 87, 53, 53, 110, 110, None],
        )

    def test_every_kernel_that_counts_bytes_is_under_the_roof(self):
        orin = fixtures("orin")[0]
        for backend in roofline.backends_of(orin):
            counted = [one for one in orin.of_part("operations") if one.backend == backend and one.bytes]
            self.assertEqual(len(roofline.points(orin, backend)), len(counted))
        self.assertTrue(roofline.seed_points(orin))
        self.assertEqual(roofline.backends_of(fixtures("desktop")[0]), ["cpu"])


class CrossoverTest(unittest.TestCase):
    def curves(self, cpu, gpu):
        results = [
            dict(timed("x %d" % size, seconds), part="crossover", backend=backend, axes={"elements": size})
            for backend, times in (("cpu", cpu), ("cuda", gpu))
            for size, seconds in times.items()
        ]
        return crossover.curves(two(results, [])[0])[0]

    def test_where_the_lines_cross_on_logarithmic_scales(self):
        found = self.curves({100: 1e-6, 10000: 1e-4}, {100: 1e-5, 10000: 1e-5})
        self.assertAlmostEqual(crossover.crossing(found), 1000, 6)

    def test_always_never_and_unknown(self):
        self.assertEqual(
            crossover.crossing(self.curves({100: 2.0, 1000: 2.0}, {100: 1.0, 1000: 1.0})), crossover.ALWAYS
        )
        self.assertEqual(
            crossover.crossing(self.curves({100: 1.0, 1000: 1.0}, {100: 0.5, 1000: 2.0})), crossover.NEVER
        )
        self.assertIsNone(crossover.crossing(self.curves({100: 1.0}, {})))

    def test_data_that_is_copied_is_a_line_of_the_same_picture(self):
        results = [
            dict(
                timed("x %d" % size, value), part="crossover", backend=backend, axes=dict(more, elements=size)
            )
            for backend, more, times in (
                ("cpu", {}, {100: 1e-6, 10000: 1e-4}),
                ("cuda", {}, {100: 1e-5, 10000: 1e-5}),
                ("cuda", {"data": "copied"}, {100: 2e-5, 10000: 2e-4}),
            )
            for size, value in times.items()
        ]
        found = crossover.curves(two(results, [])[0])
        self.assertEqual([one.title for one in found], ["reduce"])
        self.assertAlmostEqual(crossover.crossing(found[0]), 1000, 6)
        self.assertEqual(crossover.crossing(found[0], copied=True), crossover.NEVER)

    def test_the_last_crossing_counts(self):
        found = self.curves({1: 1.0, 10: 1.0, 100: 1.0, 1000: 1.0}, {1: 0.5, 10: 2.0, 100: 2.0, 1000: 0.5})
        self.assertTrue(100 < crossover.crossing(found) < 1000)

    def test_classes_of_an_operation_are_lines_of_their_own(self):
        results = [
            dict(
                timed("x", 1.0 + window),
                part="crossover",
                axes={"elements": 100, "window": window, "threads": window},
            )
            for window in (3, 5)
        ]
        found = crossover.curves(two(results, [])[0])
        self.assertEqual([one.title for one in found], ["reduce window 3", "reduce window 5"])


class SeedsTest(unittest.TestCase):
    def test_the_best_block_size_differs_per_board(self):
        nano, orin = fixtures("nano", "orin")
        by_variant = {grid.variant: grid for grid in seeds.grids(nano)}
        self.assertEqual(set(by_variant), {"managed, resident", "managed, first touch"})
        grid = by_variant["managed, resident"]
        self.assertEqual(grid.best(48)[0], 32)
        self.assertEqual(
            {one.variant: one for one in seeds.grids(orin)}["managed, resident"].best(48)[0], 256
        )
        self.assertEqual(set(grid.rivals), {"full sort, GPU", "tegu, GPU"})
        self.assertNotIn((384, 64), grid.cells)  # does not fit shared memory

    def lists(self, **more):
        return dict(timed(str(more), 1.0), part="s1", backend="seed", **more)

    def test_rivals_stand_in_every_grid_that_they_do_not_contradict(self):
        cells = [
            self.lists(method="lists", axes={"k": 5, "threads_per_block": 32, "data": data})
            for data in ("a", "b")
        ]
        rivals = [
            self.lists(method="anywhere", axes={"k": 5}),
            self.lists(method="in a", axes={"k": 5, "data": "a"}),
            self.lists(method="elsewhere", axes={"k": 5, "data": "c", "threads": 2}),
        ]
        grids = seeds.grids(two(cells + rivals, [])[0])
        found = {grid.variant: sorted(grid.rivals) for grid in grids}
        self.assertEqual(found, {"a": ["anywhere", "elsewhere", "in a"], "b": ["anywhere", "elsewhere"]})

    def test_without_lists_the_rivals_stand_alone(self):
        grids = seeds.grids(two([self.lists(method="one list, CPU", axes={"k": 5, "threads": 1})], [])[0])
        self.assertEqual([(grid.cells, list(grid.rivals)) for grid in grids], [({}, ["one list, CPU"])])

    def test_steps_keep_their_order_and_tegu_comes_last(self):
        steps = seeds.steps(fixtures("nano", "orin"), "s2")
        self.assertEqual([table.title for table in steps], ["reduce f32 16777216 sum"])
        self.assertEqual(steps[0].methods[0], "0. atomics only")
        self.assertEqual(steps[0].methods[-1], "tegu, GPU")

    def test_data_in_place_and_copied_are_tables_of_their_own(self):
        titles = [table.title for table in seeds.steps(fixtures("nano"), "s4")]
        self.assertEqual(titles[1], "entropy_map f32 400x400 window=5 levels=16, copied")
        self.assertEqual(len(titles), 4)

    def test_a_place_of_few_ways_is_rows_of_the_first_table(self):
        results = [
            dict(
                timed("add, %s %s" % (method, data), 1.0),
                part="s2",
                backend="seed",
                method=method,
                axes={"data": data},
            )
            for data, methods in (("resident", "abcd"), ("copied", "a"))
            for method in methods
        ]
        found = seeds.steps([two(results, [])[0]], "s2")
        self.assertEqual(
            [(one.title, one.methods) for one in found], [("add", ["a", "b", "c", "d", "a, copied"])]
        )

    def test_what_has_no_k_stands_beside_the_lists(self):
        self.assertEqual(
            [table.title for table in seeds.steps(fixtures("nano"), "s1")], ["reduce i32 1e7 min+max"]
        )

    def test_of_several_block_sizes_the_fastest_counts(self):
        results = [
            dict(
                timed("x, blocks of %d" % block, 1.0 / block),
                part="s3",
                backend="seed",
                method="m",
                axes={"threads_per_block": block},
            )
            for block in (64, 256, 128)
        ]
        found = seeds.steps([two(results, [])[0]], "s3")
        self.assertEqual([result.axes["threads_per_block"] for result in found[0].results.values()], [256])


class CaveatsTest(unittest.TestCase):
    def lines(self, **more):
        boards = two([timed("x 1", 1.0)], [timed("x 1", 1.0)])
        for name, value in more.items():
            boards[1].identity[name] = value
        return " ".join(caveats.all_lines(boards))

    def test_equal_runs_have_none(self):
        self.assertEqual(self.lines(), "")

    def test_what_differs_is_named_with_its_boards(self):
        self.assertIn("tegu's", self.lines(tegu={"version": "2", "commit": "c"}).replace("Tegu's", "tegu's"))
        self.assertIn("2 on B", self.lines(tegu={"version": "2", "commit": "c"}))
        boards = two([timed("x 1", 1.0)], [timed("x 1", 1.0)])
        boards[0].identity["power_mode"], boards[1].identity["power_mode"] = "MAXN", "15W"
        self.assertIn("Power modes differ: MAXN on A; 15W on B.", " ".join(caveats.all_lines(boards)))
        boards[1].options = {"quick": True}
        self.assertIn(
            "The option quick differs: not given on A; true on B.", " ".join(caveats.all_lines(boards))
        )

    def test_what_happened_to_a_run_is_said(self):
        a, b = two(
            [timed("x 1", 1.0, throttled=True), timed("x 2", 1.0, 0.3), timed("x 3", 1, checked=False)],
            [timed("x 1", 1.0)],
        )
        a.finished, b.identity["gpu"] = False, {"name": "G", "unusable": "no driver"}
        a.repeated = 2
        text = " ".join(caveats.all_lines([a, b]))
        for words in (
            "A: the run is not finished",
            "A was throttled during the run: 1 of its 3 times",
            "B: its GPU was not used: no driver.",
            "A: 1 results of operations were not compared",
            "A: the file has 2 results twice",
            "more than 10 % noise",
        ):
            self.assertIn(words, text)

    def test_a_limit_of_power_is_no_throttling(self):
        content = small("A", [timed("x 1", 1.0)])
        content["records"].append(
            {
                "kind": "condition",
                "part": "copy",
                "at": "during",
                "elapsed_s": 1,
                "throttle": ["sw_power_cap"],
            }
        )
        found = board_of(content)
        names.name_boards([found])
        limit = (
            "A ran at its limit of power or clock (sw_power_cap). Times that were taken so are times of that "
            "limit, and are in the rankings."
        )
        self.assertEqual(caveats.all_lines([found]), [limit])
        content["records"][-1]["throttle"].append("sw_thermal_slowdown")
        found = board_of(content)
        names.name_boards([found])
        self.assertEqual(
            caveats.all_lines([found]),
            [
                "A was throttled during the run (sw_thermal_slowdown), but none of its times is marked as "
                "taken so.",
                limit,
            ],
        )

    def test_what_was_left_out_is_counted_and_listed(self):
        skipped = [
            {"kind": "skipped", "part": "s1", "case": "k=%d" % k, "reason": "no time was left"}
            for k in range(9)
        ]
        content = small("A", [timed("x 1", 1.0)])
        content["records"] += skipped
        found = board_of(content)
        names.name_boards([found])
        self.assertEqual(caveats.all_lines([found]), ["A left out 9 cases: no time was left."])
        self.assertIn(
            "| A | s1 | no time was left | 9: k=0; k=1;", markdown.write(sections.report_of([found], []))
        )

    def test_reasons_that_differ_in_numbers_alone_are_one(self):
        content = small("A", [timed("x 1", 1.0)])
        for k in range(1, 4):
            reason = "one run would take about %d.5 ms, which is too long for what is left" % k
            content["records"].append(
                {"kind": "skipped", "part": "s1", "case": "k=%d" % k, "reason": reason, "retry": True}
            )
            reason = "the lists of a block take %d bytes of shared memory; it has 232448" % (k << 18)
            content["records"].append(
                {"kind": "skipped", "part": "s1", "case": "k=%d, b" % k, "reason": reason}
            )
        found = board_of(content)
        names.name_boards([found])
        self.assertEqual(
            caveats.all_lines([found]),
            [
                "A left out 3 cases for want of time (3 of s1). The same command measures what is missing.",
                "A left out 3 cases: the lists of a block take … bytes of shared memory; it has ….",
            ],
        )
        text = markdown.write(sections.report_of([found], []))
        self.assertIn(
            "one run would take about …, which is too long for what is left | 3: k=1; k=2; k=3", text
        )

    def test_a_quick_run_and_a_run_without_a_gpu_are_named(self):
        quick, whole = two([timed("x 1", 1.0)], [timed("x 1", 1.0)])
        quick.options, quick.identity["gpu"] = {"quick": True}, None
        whole.results.append(board_of(small("C", [dict(timed("y", 1.0), part="occupancy")])).results[0])
        text = " ".join(caveats.all_lines([quick, whole]))
        self.assertIn("A: a quick run", text)
        self.assertIn("A has no results of occupancy, which other runs have. It has no GPU.", text)

    def test_quick_runs_are_in_no_ranking(self):
        contents = [small(name, [timed("x 1", seconds)]) for name, seconds in (("A", 9), ("B", 3), ("C", 1))]
        for quick, subtitle, sentences in (
            ("A", "The fastest first: C, B", ["C is 3.00× as fast as B"]),
            ("B", "The fastest first: C, A", ["C is 9.00× as fast as A"]),
            ("AB", "", []),
            ("ABC", "", []),
        ):
            boards = [
                board_of(dict(content, options={"quick": name in quick}), name + ".json")
                for name, content in zip("ABC", contents)
            ]
            names.name_boards(boards)
            report = sections.report_of(boards, [])
            self.assertEqual(report.subtitle, subtitle)
            lead = report.sections[0].lead
            words = "%s is a quick run: its times are of no use, and are in no ranking."
            first = [words % one for one in quick]
            self.assertEqual(lead[: len(first)], first)
            self.assertEqual([line.split(" in the")[0] for line in lead[len(first) :]], sentences)
            text = markdown.write(report)
            for name in quick:
                self.assertNotIn("%s is 3" % name, text)
                self.assertNotRegex(text, r"than %s|as %s " % (name, name))
            if len(quick) > 1:
                self.assertNotRegex(text, r"× (faster|slower)|as fast as [ABC]|\*\*[0-9]")
        alone = sections.report_of([board_of(dict(contents[0], options={"quick": True}))], [])
        self.assertIn("is a quick run", alone.sections[0].lead[0])

    def test_clocks_that_move_and_weak_supplies_are_named(self):
        content = small("A", [timed("x 1", 1.0)])
        for at, mhz, events in (
            ("before", 100, {}),
            ("during", 900, {"oc1": 2}),
            ("during", 600, {"oc1": 1}),
        ):
            content["records"].append(
                {
                    "kind": "condition",
                    "part": "copy",
                    "at": at,
                    "elapsed_s": 1,
                    "clocks_mhz": {"gpu": mhz},
                    "events": events,
                }
            )
        found = board_of(content)
        names.name_boards([found])
        text = " ".join(caveats.all_lines([found]))
        self.assertIn("the clock of its GPU moved between 600 and 900 MHz", text)
        self.assertIn("over-current during the run (oc1 3)", text)

    def test_peers_are_not_asked_for_a_reference(self):
        a, b = two([timed("x 1", 1.0, checked=False, backend="peer:cub")], [timed("x 1", 1.0)])
        self.assertNotIn("compared", " ".join(caveats.all_lines([a, b])))

    def test_later_results_replace_earlier_ones(self):
        found = board_of(small("A", [timed("x 1", 1.0), timed("x 1", 2.0)]))
        self.assertEqual(([result.seconds for result in found.results], found.repeated), ([2.0], 1))


class NamesTest(unittest.TestCase):
    def named(self, *identities):
        boards = [
            board_of(small("b", [], identity=identity), "%d.json" % index)
            for index, identity in enumerate(identities)
        ]
        names.name_boards(boards)
        return [board.name for board in boards]

    def test_short_names(self):
        self.assertEqual(
            self.named(
                {"board": "NVIDIA Jetson Orin Nano Developer Kit", "gpu": {"name": "Orin"}},
                {"board": "PowerEdge", "gpu": {"name": "NVIDIA H200"}},
                {"board": "PC", "cpu": {"name": "Intel(R) Xeon(R) Gold 6448Y CPU @ 2.10GHz"}},
                {"board": "PC", "gpu": {"name": "NVIDIA H100", "unusable": "no"}},
            ),
            ["Jetson Orin Nano", "H200", "Xeon Gold 6448Y", "PC"],
        )

    def test_boards_of_one_kind_are_told_apart_by_what_differs(self):
        one = {"board": "Jetson Nano", "tegu": {"commit": "abc"}}
        self.assertEqual(
            self.named(dict(one, power_mode="MAXN"), dict(one, power_mode="5W")),
            ["Jetson Nano (MAXN)", "Jetson Nano (5W)"],
        )
        self.assertEqual(
            self.named(one, dict(one, tegu={"commit": "def"})), ["Jetson Nano (abc)", "Jetson Nano (def)"]
        )
        self.assertEqual(
            self.named(one, dict(one, kernel="x")), ["Jetson Nano (0.json)", "Jetson Nano (1.json)"]
        )

    def test_a_name_is_never_too_long_to_read(self):
        self.assertLessEqual(len(self.named({"board": "Jetson " + "x" * 5000})[0]), names.LONGEST)

    def test_the_same_run_twice_is_refused(self):
        with self.assertRaises(CompareError):
            self.named({"board": "x"}, {"board": "x"})


class ModelledTest(unittest.TestCase):
    def job(self, case, seconds, size, elements, **more):
        more = dict(dict(part="operations", backend="cuda", operation="x"), **more)
        return dict(timed(case, seconds), bytes=size, axes={"elements": elements}, **more)

    def modelled(self, *jobs, gpu=None, peak=None, key="jetson-nano"):
        copy = dict(timed("copy", 1e-3), part="copy", backend="cuda", bytes=10**9)  # 1000 GB/s
        board = board_of(small("A", [copy] + list(jobs)))
        board.identity["gpu"], board.identity["peak"] = gpu or {"name": "G"}, peak
        return modelled.model(modelled.chosen([key])[0], board).seconds

    def test_roofline_of_the_sheet_divided_by_the_efficiency_here(self):
        # 4e9 bytes take 4 ms at best; here 5 ms beyond the fixed cost of 1 ms: 0.8 of the roof.
        found = self.modelled(self.job("few", 1e-3, 4000, 1000), self.job("many", 6e-3, 4 * 10**9, 10**9))
        self.assertAlmostEqual(found["many"], 4e9 / 25.6e9 / 0.8)

    def test_what_the_fixed_cost_hides_is_not_modelled(self):
        found = self.modelled(self.job("few", 1e-3, 4000, 1000), self.job("some", 1.9e-3, 10**9, 10**8))
        self.assertEqual(found, {})

    def test_a_fixed_cost_is_that_of_the_operation_else_the_least(self):
        jobs = [
            self.job("few", 1e-3, 4000, 1000),
            self.job("a few", 2e-3, 4000, 1000, operation="y"),
            self.job("copied", 1e-6, 4000, 1000, part="crossover"),
            self.job("many", 6e-3, 4 * 10**9, 10**9, operation="z"),
        ]
        jobs[2]["axes"]["data"] = "copied"
        self.assertAlmostEqual(self.modelled(*jobs)["many"], 4e9 / 25.6e9 / 0.8)

    def test_what_memory_does_not_limit_is_scaled_by_what_is_slower(self):
        gpu = {"name": "G", "compute_capability": 90, "multiprocessors": 100, "core_clock_mhz": 1000.0}
        jobs = (self.job("few", 0.0001, 4000, 1000), self.job("hard", 0.1001, 10**9, 10**9))
        memory, arithmetic = 0.1 * 1000 / 25.6, 0.1 * 100 * 1000.0 / (1 * 921.6)
        self.assertAlmostEqual(self.modelled(*jobs)["hard"], memory)  # nothing is known of arithmetic
        self.assertAlmostEqual(self.modelled(*jobs, gpu=gpu)["hard"], max(memory, arithmetic))

    def test_the_peak_of_the_data_sheet_is_the_measure_where_it_is_known(self):
        jobs = (self.job("few", 1e-3, 4000, 1000), self.job("many", 6e-3, 4 * 10**9, 10**9))
        peak = {"memory_gb_per_s": 1250.0, "provenance": "datasheet"}
        self.assertAlmostEqual(self.modelled(*jobs, peak=peak)["many"], 5e-3 * 1250 / 25.6)

    def test_arithmetic_limits_where_it_is_the_lower_roof(self):
        sheet = modelled.chosen(["jetson-nano"])[0]
        result = board_of(
            small("A", [dict(timed("x", 1.0), bytes=10**6, flops=10**12, backend="cuda")])
        ).results[0]
        self.assertAlmostEqual(modelled.roof_seconds(result, sheet.roofs), 1e12 / (2 * 128 * 921.6e6))

    def test_short_cases_have_no_modelled_time(self):
        found = modelled.model(modelled.chosen(["jetson-thor"])[0], fixtures("orin")[0])
        self.assertTrue(found.seconds)
        self.assertGreaterEqual(min(found.seconds.values()), modelled.SHORTEST)
        self.assertNotIn("reduce f32 1e4", found.seconds)

    def test_every_sheet_is_complete(self):
        self.assertGreaterEqual(len(modelled.sheets()), 9)
        for sheet in modelled.sheets():
            self.assertTrue(
                sheet.source and sheet.name and sheet.roofs.flops_per_second and sheet.roofs.bytes_per_second,
                sheet.key,
            )
            self.assertLessEqual(set(sheet.unconfirmed), {"GPU clock", "memory bandwidth"})

    def test_without_a_gpu_there_is_no_model(self):
        with self.assertRaises(CompareError):
            modelled.reference(fixtures("desktop"))


class UnitsTest(unittest.TestCase):
    def test_three_digits_and_a_unit(self):
        self.assertEqual(
            [units.seconds(one) for one in (3.48e-5, 9.996e-7, 9.994e-10, 1.0, 123.4, 0.000999999, None)],
            ["34.8 µs", "1.00 µs", "0.999 ns", "1.00 s", "123 s", "1.00 ms", units.NONE],
        )
        self.assertEqual([units.joules(one) for one in (0.0021, 1.5, 2e-7)], ["2.10 mJ", "1.50 J", "200 nJ"])
        self.assertEqual(
            [units.times(one) for one in (1, 0.354, 12.34, 1234, 9.996)],
            ["1.00×", "0.35×", "12.3×", "1230×", "10.0×"],
        )
        self.assertEqual(
            [units.speed(one) for one in (1, 24.7, 1 / 24.7, 0.5, None)],
            ["1.00× faster", "24.7× faster", "24.7× slower", "2.00× slower", units.NONE],
        )
        self.assertEqual(
            [units.short(units.ratio_tick(one)) for one in (0.01, 0.1, 1, 30)], ["1/100", "1/10", "1×", "30×"]
        )
        self.assertEqual([units.percent(one) for one in (0.004, 0.0999, 1.0)], ["0.4 %", "10 %", "100 %"])
        self.assertEqual(
            [units.count(one) for one in (1000, 163840, 10**7, 1 << 24, 1 << 29, 10**9)],
            ["1 000", "163 840", "10 M", "16 Mi", "512 Mi", "1 G"],
        )
        self.assertEqual([units.about(one) for one in (104321.0, 950.0, 1.1e6)], ["104 k", "950", "1.1 M"])
        self.assertEqual(
            [units.memory(one) for one in (48 << 10, 512, 4 << 30)], ["48.0 KiB", "512 B", "4.00 GiB"]
        )

    def test_ticks_have_no_zeros_at_their_end(self):
        self.assertEqual(
            [
                units.short(one)
                for one in ("10.0 ms", "0.100", "0.0120 s", "100 µs", "1.05×", "1e6", "10.0–20.0")
            ],
            ["10 ms", "0.1", "0.012 s", "100 µs", "1.05×", "1e6", "10–20"],
        )

    def test_no_number_is_out_of_reach(self):
        for power in range(-15, 25):
            for value in (10.0**power, 9.999 * 10.0**power):
                self.assertLess(len(units.digits(value)), 30)
                self.assertTrue(math.isclose(float(units.digits(value)), value, rel_tol=0.006))


if __name__ == "__main__":
    unittest.main()
