#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tegu-tune as a process: on the CPU backend, and with the guarded device and its made-up clock. It is killed
and resumed, interrupted, slowed down, given damaged files, and its table is applied to a private daemon."""

import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = os.environ["TEGU_BUILD_DIR"]
TUNE = os.path.join(BUILD, "bin", "tegu-tune")
GUARD = os.path.join(BUILD, "tests", "guard_tune")
TEGUD = os.path.join(BUILD, "tests", "guard_tegud")
QUICK = ["--minutes", "0.2", "--most-elements", "20000"]
# The clock of the guarded device is made up: a search ends early, however slow this machine is.
GUARDED = ["--minutes", "5", "--most-elements", "20000"]


class TuneTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tegu-tune-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_tune(self, *arguments, program=TUNE, words="", wait=True, **options):
        environment = dict(os.environ, TEGU_TEST_TUNE=words, TEGU_SOCKET=self.path("no-daemon.sock"))
        process = subprocess.Popen(
            [program] + list(arguments),
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            **options,
        )
        if not wait:
            return process
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as source:
            return source.read()


class Search(TuneTest):
    def test_guarded_device_finds_the_rows_that_its_clock_has(self):
        code, out, err = self.run_tune(
            "--backend", "gpu", "--operation", "add,dot", *GUARDED, "-o", "t.toml", "--json", program=GUARD
        )
        self.assertEqual(code, 0, err)
        account = json.loads(out)
        self.assertTrue(account["complete"])
        self.assertEqual(account["wrong"], [])
        rows = {one["id"]: one for one in account["findings"] if one.get("policy")}
        self.assertIn("cuda/add-f32-n0", rows)
        self.assertEqual(rows["cuda/add-f32-n0"]["policy"], {"waves": 8})
        self.assertAlmostEqual(rows["cuda/add-f32-n0"]["speed"], 1 / 0.6, places=6)
        self.assertGreater(account["summary"]["worst"], 1.1)
        table = self.read("t.toml")
        self.assertIn("policy = { waves = 8 }", table)
        self.assertIn("[[cost]]", table)
        # Neighbours with the same policy are one row.
        self.assertEqual(len(re.findall(r'^id = "add-f32', table, re.M)), 1)
        self.assertFalse(os.path.exists(self.path("t.toml.journal")), "all steps are done")
        code, out, err = self.run_tune(
            "check", "t.toml", "--backend", "gpu", "--operation", "add", *GUARDED, "--json", program=GUARD
        )
        self.assertEqual(code, 0, err)
        check = json.loads(out)
        self.assertAlmostEqual(check["worst"], 1 / 0.6, places=6)
        self.assertEqual(check["wrong"], [])

    def test_wrong_results_are_a_loud_bug_and_no_row(self):
        code, out, err = self.run_tune(
            "--backend",
            "gpu",
            "--operation",
            "add",
            "--measure",
            "rows",
            *GUARDED,
            "-o",
            "t.toml",
            "--json",
            program=GUARD,
            words="wrong",
        )
        self.assertEqual(code, 70, err)
        self.assertIn("WRONG RESULT, a bug: cuda/add-", err)
        self.assertIn("waves=8", err)
        self.assertTrue(json.loads(out)["wrong"])
        self.assertNotIn("waves = 8", self.read("t.toml"))
        self.assertIn("waves = 32", self.read("t.toml"))

    def test_wrong_default_is_no_success_and_is_not_forgotten(self):
        arguments = (
            ["--backend", "gpu", "--operation", "add", "--measure", "rows"] + GUARDED + ["-o", "t.toml"]
        )
        code, _, err = self.run_tune(*arguments, program=GUARD, words="wrong_default")
        self.assertEqual(code, 70, err)
        self.assertRegex(err, r"WRONG RESULT, a bug: cuda/add-\S+ default: ")
        # The next run goes on, finds nothing wrong, and knows what the first one found.
        code, out, err = self.run_tune(*arguments, "--json", program=GUARD)
        self.assertEqual(code, 70, err)
        account = json.loads(out)
        self.assertTrue(account["complete"])
        self.assertIn(" default: ", account["wrong"][0])
        code, _, err = self.run_tune(*arguments, program=GUARD)
        self.assertEqual(code, 0, err)

    def test_wrong_result_before_the_device_is_lost(self):
        arguments = (
            ["--backend", "gpu", "--operation", "add", "--measure", "rows"] + GUARDED + ["-o", "t.toml"]
        )
        code, _, err = self.run_tune(*arguments, program=GUARD, words="wrong,lost_late")
        self.assertEqual(code, 70, err)
        self.assertIn("fell off the bus", err)
        self.assertIn("WRONG RESULT, a bug: cuda/add-", err)
        code, _, err = self.run_tune(*arguments, program=GUARD)
        self.assertEqual(code, 70, err)

    def test_cpu_backend_alone(self):
        code, out, err = self.run_tune("--backend", "cpu", "--operation", "dot", *QUICK, "-o", "t.toml")
        self.assertEqual(code, 0, err)
        self.assertIn("cpu/dot", out)
        table = self.read("t.toml")
        self.assertIn("cpu_threads = ", table)
        self.assertNotIn('backend = "cuda"', table)
        self.assertIn("threads = 1", table)  # a cost on one thread
        code, out, err = self.run_tune("show", "t.toml")
        self.assertEqual(code, 0, err)
        self.assertIn("and the times of", out)

    def test_machine_without_a_gpu(self):
        code, _, err = self.run_tune(
            "--operation", "add", *GUARDED, "-o", "t.toml", "--measure", "rows", program=GUARD, words="none"
        )
        self.assertEqual(code, 0, err)
        self.assertIn("no GPU is measured: no NVIDIA driver", err)
        code, _, err = self.run_tune("--backend", "gpu", "-o", "t.toml", program=GUARD, words="none")
        self.assertEqual(code, 69)
        self.assertIn("no NVIDIA driver", err)

    def test_lost_device_ends_it_and_the_journal_is_good(self):
        code, _, err = self.run_tune(
            "--backend", "gpu", "--operation", "add", *GUARDED, "-o", "t.toml", program=GUARD, words="lost"
        )
        self.assertEqual(code, 75, err)
        self.assertIn("fell off the bus", err)
        code, _, err = self.run_tune(
            "--backend", "gpu", "--operation", "add", *GUARDED, "-o", "t.toml", program=GUARD
        )
        self.assertEqual(code, 0, err)


class Journal(TuneTest):
    ARGUMENTS = ["--backend", "gpu", "--operation", "add,reduce", *GUARDED, "-o", "t.toml", "--json"]

    def start_and_hold(self):
        """A run that has done some of its steps, and that does no more and does not end by itself."""
        process = self.run_tune(*self.ARGUMENTS, program=GUARD, words="hold", wait=False)
        for line in process.stderr:
            if line == "held\n":
                return process
        self.fail("it ended with %d" % process.wait())

    def records(self):
        return re.findall(r"^record (\S+) ", self.read("t.toml.journal"), re.M)

    def test_killed_in_the_middle_it_goes_on_where_it_stopped(self):
        process = self.start_and_hold()
        process.kill()
        process.communicate()
        before = self.records()
        self.assertGreaterEqual(len(before), 3)
        code, out, err = self.run_tune(*self.ARGUMENTS, program=GUARD)
        self.assertEqual(code, 0, err)
        self.assertIn("going on where an earlier run stopped: %d of" % len(before), err)
        for id_ in before:
            self.assertNotIn("] %s:" % id_, err, "measured twice")
        account = json.loads(out)
        self.assertEqual(len(account["findings"]), account["steps"])
        self.assertTrue(account["complete"])

    def test_records_of_other_kernels_are_measured_again(self):
        process = self.start_and_hold()
        process.kill()
        process.communicate()
        before = self.records()
        journal = self.read("t.toml.journal")
        changed = []
        for end in ("7", "0"):  # another revision; and a record that does not say which
            id_ = before[len(changed)]
            changed.append(id_)
            head = re.search(r"^record %s (\d+) \w+\n" % re.escape(id_), journal, re.M)
            text = journal[head.end() : head.end() + int(head.group(1))]
            self.assertIn(" revision=1\n", text)
            other = text.replace(" revision=1\n", " revision=7\n" if end == "7" else "\n")
            sum_ = 0xCBF29CE484222325
            for byte in (id_ + "\n" + other).encode():
                sum_ = (sum_ ^ byte) * 0x100000001B3 % (1 << 64)
            record = "record %s %d %016x\n%s" % (id_, len(other), sum_, other)
            journal = journal.replace(head.group(0) + text, record)
        with open(self.path("t.toml.journal"), "w", encoding="utf-8") as target:
            target.write(journal)
        code, out, err = self.run_tune(*self.ARGUMENTS, program=GUARD)
        self.assertEqual(code, 0, err)
        self.assertIn("2 records of t.toml.journal are of kernels of another revision", err)
        self.assertIn("stopped: %d of" % (len(before) - 2), err)
        for id_ in changed:
            self.assertIn("] %s:" % id_, err, "measured again")
        account = json.loads(out)
        self.assertEqual(len(account["findings"]), account["steps"])

    def test_torn_journal_loses_its_last_record_alone(self):
        process = self.start_and_hold()
        process.kill()
        process.communicate()
        before = self.records()
        with open(self.path("t.toml.journal"), "rb+") as journal:
            journal.truncate(os.path.getsize(self.path("t.toml.journal")) - 7)
        code, _, err = self.run_tune(*self.ARGUMENTS, program=GUARD)
        self.assertEqual(code, 0, err)
        self.assertRegex(err, r"ends within a record: its last \d+ bytes are dropped")
        self.assertIn("stopped: %d of" % (len(before) - 1), err)

    def test_interrupt_leaves_a_valid_table(self):
        process = self.start_and_hold()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertTrue(json.loads(out)["interrupted"])
        code, shown, err = self.run_tune("show", "t.toml")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("tiles_per_warp=4", shown)

    def test_another_machine_is_refused_and_can_be_set_aside(self):
        process = self.start_and_hold()
        process.kill()
        process.communicate()
        other = [word if word != "gpu" else "cpu" for word in self.ARGUMENTS]
        code, _, err = self.run_tune(*other, program=GUARD)
        self.assertEqual(code, 65)
        self.assertIn('is the journal of another run, on "guarded memory', err)
        self.assertIn("--restart", err)
        code, _, err = self.run_tune(*(other + ["--restart"]), program=GUARD)
        self.assertEqual(code, 0, err)
        self.assertTrue(os.path.exists(self.path("t.toml.journal.old")))

    def test_what_is_no_journal_is_not_touched(self):
        with open(self.path("t.toml.journal"), "w") as target:
            target.write("my diary\n")
        code, _, err = self.run_tune(*self.ARGUMENTS, program=GUARD)
        self.assertEqual(code, 65)
        self.assertIn("is no journal of tegu-tune", err)
        self.assertEqual(self.read("t.toml.journal"), "my diary\n")

    def test_one_run_at_a_time(self):
        process = self.start_and_hold()
        code, _, err = self.run_tune(*self.ARGUMENTS, program=GUARD)
        process.kill()
        process.communicate()
        self.assertEqual(code, 75)
        self.assertIn("another tegu-tune writes to t.toml.journal", err)


class Pace(TuneTest):
    def write_alert(self, state):
        device = self.path("board/sys/class/thermal/cooling_device0")
        os.makedirs(device, exist_ok=True)
        for name, text in (("type", "gpu-throttle-alert"), ("cur_state", state), ("max_state", "2")):
            path = os.path.join(device, name)
            with open(path + ".new", "w") as target:
                target.write(text + "\n")
            os.replace(path + ".new", path)  # it is read meanwhile

    def test_throttled_measurement_is_repeated_when_the_board_has_cooled(self):
        self.write_alert("1")
        os.makedirs(self.path("board/proc"))
        process = self.run_tune(
            "--backend",
            "gpu",
            "--operation",
            "add",
            "--measure",
            "rows",
            *GUARDED,
            "-o",
            "t.toml",
            "--sysroot",
            self.path("board"),
            program=GUARD,
            wait=False,
        )
        said = ""
        for line in process.stderr:
            said += line
            if "thrown away" in line:
                break
        self.write_alert("0")
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, said + err)
        self.assertIn("slowed down by gpu-throttle-alert: this measurement is thrown away and repeated", said)
        self.assertIn("at full speed again after", err)
        self.assertIn("waves = 8", self.read("t.toml"))

    def test_board_that_stays_hot(self):
        self.write_alert("2")
        os.makedirs(self.path("board/proc"))
        code, _, err = self.run_tune(
            "--backend",
            "gpu",
            "--operation",
            "add",
            "--measure",
            "rows",
            *GUARDED,
            "-o",
            "t.toml",
            "--sysroot",
            self.path("board"),
            "--patience",
            "1",
            program=GUARD,
        )
        self.assertEqual(code, 75, err)
        self.assertIn("still slow after", err)
        self.assertIn("the board stays slow: cool it, and run the same command again", err)


class Apply(TuneTest):
    def start_daemon(self):
        with open(self.path("tegud.toml"), "w") as settings:
            settings.write('[tuning]\noverlay = "%s"\n' % self.path("overlay.toml"))
        environment = dict(os.environ, TEGU_TEST_GPU="A", TEGU_TEST_FAULT="oom:" + self.path("fault"))
        log = open(self.path("tegud.log"), "w")
        daemon = subprocess.Popen(
            [TEGUD, "--config", self.path("tegud.toml"), "--socket", self.path("s.sock")],
            env=environment,
            stdout=log,
            stderr=log,
        )
        log.close()
        self.addCleanup(lambda: (daemon.terminate(), daemon.wait()))
        end = time.monotonic() + 60
        while not self.answers() and time.monotonic() < end:
            time.sleep(0.02)
        return daemon

    def answers(self):
        """Whether the daemon takes connections: its socket is there a moment earlier."""
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(self.path("s.sock")) == 0

    def apply(self, *arguments):
        return self.run_tune(
            "apply", "t.toml", "--settings", "tegud.toml", "--socket", "s.sock", *arguments, program=GUARD
        )

    def write_table(self, rows):
        with open(self.path("t.toml"), "w") as table:
            table.write(Files.HEAD + rows)

    def test_rows_of_the_table_serve_and_results_are_right(self):
        self.start_daemon()
        self.write_table(Files.ROW % ("tuned", 0, 1 << 40, 8))
        code, out, err = self.apply()
        self.assertEqual((code, err), (0, ""))
        lines = {line.split()[0]: line for line in out.splitlines()}
        self.assertIn("row overlay/tuned", lines["add"])
        for operation in (
            "reduce",
            "topk",
            "entropy_map",
            "add",
            "dot",
            "rowscale",
            "quantile",
            "histogram",
            "entropy",
            "fused",
        ):
            self.assertIn("right", lines[operation])
        self.assertEqual(self.read("overlay.toml"), self.read("t.toml"))
        # Another one takes its place.
        self.write_table(Files.ROW % ("newer", 0, 1 << 40, 4))
        code, out, _ = self.apply()
        self.assertEqual(code, 0)
        self.assertIn("row overlay/newer", out)

    def expect_first_table_back(self, first):
        self.assertEqual(self.read("overlay.toml"), first)
        # For the first table, for the second one if the run came that far, and for the first one again.
        self.assertGreaterEqual(self.read("tegud.log").count("tuning tables read again"), 2)
        self.write_table(Files.ROW % ("third", 0, 1 << 40, 8))
        code, _, err = self.apply()
        self.assertEqual((code, err), (0, ""), "the daemon still serves")

    def test_table_under_which_a_job_fails_is_taken_back(self):
        self.start_daemon()
        self.write_table(Files.ROW % ("first", 0, 1 << 40, 8))
        self.assertEqual(self.apply()[0], 0)
        first = self.read("t.toml")
        self.write_table(Files.ROW % ("second", 0, 1 << 40, 4))
        open(self.path("fault"), "w").close()
        code, out, err = self.apply()
        os.unlink(self.path("fault"))
        self.assertIn("installed as", out)
        self.assertNotIn(code, (0, 70))
        self.assertIn("the device has no memory left", err)
        self.assertEqual(self.read("tegud.log").count("tuning tables read again"), 3)
        self.assertIn("the table that was there before is put back", err)
        self.expect_first_table_back(first)

    def start_a_second_apply(self):
        """The second table is installed, and the daemon stands still before it reads it. Returns the daemon,
        the process that applies, and the first table."""
        daemon = self.start_daemon()
        self.write_table(Files.ROW % ("first", 0, 1 << 40, 8))
        self.assertEqual(self.apply()[0], 0)
        first = self.read("t.toml")
        self.write_table(Files.ROW % ("second", 0, 1 << 40, 4))
        daemon.send_signal(signal.SIGSTOP)
        process = self.run_tune(
            "apply", "t.toml", "--settings", "tegud.toml", "--socket", "s.sock", program=GUARD, wait=False
        )
        end = time.time() + 60
        while self.read("overlay.toml") == first and time.time() < end:
            time.sleep(0.02)
        return daemon, process, first

    def test_ctrl_c_takes_the_table_back(self):
        daemon, process, first = self.start_a_second_apply()
        process.send_signal(signal.SIGINT)
        daemon.send_signal(signal.SIGCONT)
        _, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("the table that was there before is put back", err)
        self.expect_first_table_back(first)

    def test_daemon_that_dies_has_the_old_table_when_it_starts(self):
        daemon, process, first = self.start_a_second_apply()
        daemon.kill()
        _, err = process.communicate(timeout=120)
        self.assertNotIn(process.returncode, (0, 70), err)
        self.assertEqual(self.read("overlay.toml"), first)

    def test_table_that_cannot_be_used_changes_nothing(self):
        self.start_daemon()
        self.write_table(Files.ROW.replace("add", "subtract") % ("wrong", 0, 100, 8))
        code, _, err = self.apply()
        self.assertEqual(code, 65)
        self.assertIn("subtract", err)
        self.assertIn("has nothing that can be used on this machine", err)
        with open(self.path("t.toml"), "w") as table:
            table.write(Files.HEAD.replace("5.3", "9.0") + Files.ROW % ("other", 0, 100, 8))
        code, _, err = self.apply()
        self.assertEqual(code, 65)
        self.assertIn("another device", err)
        self.assertFalse(os.path.exists(self.path("overlay.toml")))

    def test_without_a_daemon_it_is_installed(self):
        with open(self.path("tegud.toml"), "w") as settings:
            settings.write('[tuning]\noverlay = "%s"\n' % self.path("overlay.toml"))
        self.write_table(Files.ROW % ("tuned", 0, 1 << 40, 8))
        code, out, err = self.apply("--only-install")
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(os.path.exists(self.path("overlay.toml")))
        installed = self.read("overlay.toml")
        self.write_table(Files.ROW % ("other", 0, 1 << 40, 4))
        code, _, err = self.apply()
        self.assertEqual(code, 69, err)
        self.assertEqual(self.read("overlay.toml"), installed)


class Files(TuneTest):
    def write(self, name, text):
        with open(self.path(name), "w") as target:
            target.write(text)

    ROW = (
        '[[row]]\nid = "%s"\nbackend = "cuda"\noperation = "add"\nrevision = 1\nelements = [%d, %d]\n'
        "policy = { waves = %d }\n"
    )
    HEAD = 'format = 1\n[device]\nname = "guarded memory"\ncompute_capability = "5.3"\nmultiprocessors = 1\n'

    def test_diff_matches_rows_by_their_jobs(self):
        self.write(
            "a.toml",
            self.HEAD
            + self.ROW % ("x", 0, 100, 8)
            + self.ROW % ("y", 100, 200, 8)
            + self.ROW % ("z", 200, 300, 8),
        )
        self.write("b.toml", self.HEAD + self.ROW % ("other", 0, 100, 8) + self.ROW % ("y", 100, 200, 32))
        code, out, err = self.run_tune("diff", "a.toml", "b.toml")
        self.assertEqual((code, err), (1, ""))
        self.assertEqual([line[:4] for line in out.splitlines()], ["- y ", "+ y ", "- z ", "2 ro"])
        code, out, _ = self.run_tune("diff", "a.toml", "a.toml")
        self.assertEqual((code, out), (0, "0 rows differ, 3 are the same\n"))

    def test_bad_tables_are_named(self):
        self.write("broken.toml", "format = 1\n[device\n")
        for arguments in (
            ["show", "broken.toml"],
            ["diff", "broken.toml", "broken.toml"],
            ["check", "broken.toml"],
            ["apply", "broken.toml"],
        ):
            code, _, err = self.run_tune(*arguments, program=GUARD)
            self.assertEqual(code, 65, arguments)
            self.assertIn("broken.toml:2:", err)
        code, _, err = self.run_tune("show", "absent.toml")
        self.assertNotEqual(code, 0)
        self.assertIn("absent.toml", err)

    def test_only_regular_files_are_written_and_read(self):
        os.mkfifo(self.path("fifo"))
        os.mkdir(self.path("folder"))
        for name in ("fifo", "folder"):
            code, _, err = self.run_tune("--backend", "cpu", "--operation", "add", *QUICK, "-o", name)
            self.assertNotEqual(code, 0)
            self.assertIn(name + " is not a regular file", err)
            code, _, err = self.run_tune("show", name)
            self.assertNotEqual(code, 0)
        os.mkfifo(self.path("t.toml.journal"))
        code, _, err = self.run_tune("--backend", "cpu", "--operation", "add", *QUICK, "-o", "t.toml")
        self.assertNotEqual(code, 0)
        self.assertIn("t.toml.journal is not a regular file", err)
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("fifo")).st_mode))

    def test_not_a_number(self):
        code, _, err = self.run_tune("--backend", "cpu", "--minutes", "nan", "-o", "t.toml")
        self.assertEqual(code, 64)
        self.assertIn("nan is no finite number", err)

    def test_usage(self):
        code, _, err = self.run_tune("--operation", "addd")
        self.assertEqual(code, 64)
        self.assertIn("'addd'", err)
        self.assertIn("topk", err)
        self.assertEqual(self.run_tune("--minutes", "0")[0], 64)
        self.assertEqual(self.run_tune("diff", "a.toml")[0], 64)


if __name__ == "__main__":
    if not os.path.exists(GUARD):
        sys.exit(77)
    unittest.main()
