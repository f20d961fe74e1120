#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the daemon says of itself over its socket: who is charged for what, which errors are remembered, what
reloads came to. As root also with clients of other users."""

import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import rawclient
from other_user import OtherUser, sum_job
from rawclient import Connection, Daemon

JSON, TEXT, METRICS = 0, 1, 2
# Numbers of STATS that follow from others.
SUMS = {
    "uptime_seconds",
    "jobs_waiting",
    "jobs_running",
    "predicted_work_waiting_ns",
    "predicted_work_running_ns",
    "jobs_total",
    "jobs_ok_total",
    "jobs_failed_total",
    "jobs_inline_ratio",
}
METRIC_OF_MEASURE = {
    "gpu_jobs_total": "tegu_gpu_device_jobs_total",
    "start_us": "tegu_job_start_seconds",
    "gpu_copy_gb_per_s": "tegu_gpu_copy_bytes_per_second",
    "predicted_jobs_total": "tegu_cost_predicted_jobs_total",
    "predicted_seconds_total": "tegu_cost_predicted_seconds_total",
    "measured_seconds_total": "tegu_cost_measured_seconds_total",
    "cost_error_ratio": "tegu_cost_error_by_time_ratio",
    "cost_correction_inline_ratio": "tegu_cost_correction_inline_ratio",
    "cost_correction_executor_ratio": "tegu_cost_correction_executor_ratio",
    "cost_correction_gpu_ratio": "tegu_cost_correction_gpu_ratio",
}
SETTINGS = 'executor.backend = "cpu"\nsocket.mode = "0666"\n%s'


def health(connection, form=JSON):
    reply = connection.request(rawclient.HEALTH, bytes([form]) + bytes(7))
    assert reply.status == "OK", reply
    (size,) = struct.unpack_from("<I", reply.body, 4)
    return reply.body[8 : 8 + size].decode()


def report(connection):
    return json.loads(health(connection))["daemon"]


class SelfReport(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon(SETTINGS % "")
        self.watcher = Connection(self.daemon.path)
        Daemon.wait_for(
            lambda: self.watcher.fields(rawclient.STATS)["connections"] == 1,
            "the end of the connection that saw the daemon start",
        )

    def tearDown(self):
        self.watcher.close()
        self.assertEqual(self.daemon.stop(), 0)

    def client(self, pid, uid=None):
        found = [
            each
            for each in report(self.watcher)["clients"]
            if each["pid"] == pid and uid in (None, each["uid"])
        ]
        self.assertEqual(len(found), 1, found)
        return found[0]

    def user(self, uid):
        return {each["uid"]: each for each in report(self.watcher)["users"]}[uid]

    def test_counts_jobs_by_operation_outcome_and_time(self):
        for _ in range(5):
            self.assertEqual(sum_job(self.watcher).status, "OK")
        self.assertEqual(
            self.watcher.job(
                operation=rawclient.TOPK, params=rawclient.topk_params(99), data=rawclient.floats(1, 2, 3, 4)
            ).status,
            "BAD_RANGE",
        )
        self.assertEqual(
            self.watcher.job(cols=0, params=rawclient.reduce_params(1 << rawclient.MAX)).status, "EMPTY_INPUT"
        )
        daemon = report(self.watcher)
        self.assertEqual(
            (daemon["backend"], daemon["memory_class"], daemon["backend_reason"]),
            ("cpu", "none", "executor.backend is cpu"),
        )
        self.assertEqual(daemon["pid"], self.daemon.process.pid)
        self.assertIn({"operation": "reduce", "status": "OK", "count": 5}, daemon["jobs"])
        failed = {
            each["status"]: each["count"]
            for each in daemon["refused"] + [job for job in daemon["jobs"] if job["status"] != "OK"]
        }
        self.assertEqual(failed, {"BAD_RANGE": 1, "EMPTY_INPUT": 1})
        times = daemon["latency_seconds"]
        self.assertEqual(list(times), ["queue", "copy", "compute", "whole"])
        self.assertEqual(times["copy"]["count"], 0)
        self.assertGreaterEqual(times["whole"]["count"], 5)
        for phase in ("queue", "compute", "whole"):
            of = times[phase]
            self.assertLessEqual(0, of["p50"])
            self.assertTrue(of["p50"] <= of["p90"] <= of["p99"] <= of["p999"] <= of["max"] * 1.01, of)
        self.assertGreaterEqual(times["whole"]["max"], times["compute"]["p50"])
        self.assertEqual(
            {each["name"]: each["jobs_total"] for each in daemon["executors"]}["inline"],
            times["whole"]["count"],
        )

    def test_counters_are_the_same_in_every_form(self):
        self.assertEqual(sum_job(self.watcher).status, "OK")
        stats = self.watcher.fields(rawclient.STATS)
        counters = report(self.watcher)["counters"]
        metrics = dict(
            line.rsplit(" ", 1) for line in health(self.watcher, METRICS).splitlines() if "{" not in line
        )
        self.assertEqual(set(counters) - set(stats), set())
        for name in stats:
            if name.endswith("_total") and name.split("_")[0] in ("buffers", "results", "connections"):
                self.assertIn(name, counters)
                self.assertEqual(metrics["tegu_" + name], str(stats[name]), name)
        self.assertEqual(counters["jobs_inline_total"], 1)
        for name in ("tegu_users", "tegu_jobs_in_flight", "tegu_orphaned_buffers", "tegu_gpu_arena_bytes"):
            self.assertIn(name, metrics)

    def test_families_are_the_same_in_every_form(self):
        self.assertEqual(sum_job(self.watcher).status, "OK")
        self.assertEqual(
            self.watcher.job(cols=0, params=rawclient.reduce_params(1 << rawclient.MAX)).status, "EMPTY_INPUT"
        )
        stats = self.watcher.fields(rawclient.STATS)
        daemon = report(self.watcher)
        series = {}  # label values by metric
        for name, label in re.findall(r'^(\w+)\{\w+="([^"]*)"\} ', health(self.watcher, METRICS), re.M):
            series.setdefault(name, set()).add(label)
        named = set(daemon["counters"])
        for group, values in daemon["measures"].items():
            parts = group.split("_")
            for word in values:
                names = {"_".join(parts[:i] + [word] + parts[i:]) for i in range(1, len(parts))} & set(stats)
                self.assertEqual(len(names), 1, (group, word))
                named |= names
            self.assertEqual(series.get(METRIC_OF_MEASURE[group], set()), set(values), group)
        for prefix, rows, word, metric in (
            ("refused_", daemon["refused"], "status", "tegu_requests_refused_total"),
            ("placed_", daemon["placement"]["places"], "name", "tegu_jobs_placed_total"),
            ("placed_for_", daemon["placement"]["reasons"], "name", "tegu_placements_total"),
        ):
            words = {each[word] for each in rows}
            self.assertTrue(words, prefix)
            self.assertEqual(series[metric], words, prefix)
            named |= {prefix + each.lower() + "_total" for each in words}
        named |= {"closed_" + each + "_total" for each in series["tegu_connections_closed_total"]}
        named |= {"jobs_waiting_" + each for each in series["tegu_jobs_waiting"]}
        self.assertEqual(series["tegu_jobs_waiting"], {"high", "normal", "low"})
        self.assertEqual(named - set(stats), set())
        rest = {name for name in stats if not name.startswith("operation_")} - named
        self.assertEqual(rest, SUMS, "every other number of STATS is in HEALTH and in the metrics")

    def test_a_process_is_one_client_however_many_connections_it_has(self):
        others = [Connection(self.daemon.path) for _ in range(3)]
        for each in others:
            self.assertEqual(sum_job(each).status, "OK")
        Daemon.wait_for(
            lambda: self.client(os.getpid())["connections"] == 4,
            "the end of the connection that saw the daemon start",
        )
        mine = self.client(os.getpid())
        self.assertEqual((mine["jobs_total"], mine["name"]), (3, "rawclient"))
        self.assertGreater(mine["cpu_seconds_total"], 0)
        self.assertGreaterEqual(mine["bytes_total"], 3 * 16)
        handle = others[0].create(1 << 20)
        self.assertEqual(handle.status, "OK")
        mine = self.client(os.getpid())
        self.assertEqual((mine["buffers"], mine["buffer_bytes"]), (1, 1 << 20))
        for each in others:
            each.close()
        Daemon.wait_for(lambda: self.client(os.getpid())["connections"] == 1, "the connections to end")
        self.assertEqual(self.client(os.getpid())["jobs_total"], 3, "what it did is not forgotten with them")
        Daemon.wait_for(lambda: self.client(os.getpid())["buffers"] == 0, "the buffer to end")

    @unittest.skipIf(os.getuid() != 0, "needs root, to be other users")
    def test_charges_each_user_for_his_own(self):
        first, second = OtherUser(self.daemon.path, 12345), OtherUser(self.daemon.path, 12346)
        self.assertIn("OK", first.do("sum_job(c)"))
        self.assertIn("OK", first.do("sum_job(c)"))
        self.assertIn("OK", second.do("sum_job(c)"))
        self.assertIn(
            "BAD_RANGE", second.do("c.job(operation=TOPK, params=topk_params(99), data=floats(1, 2, 3, 4))")
        )
        self.assertEqual((self.user(12345)["jobs_total"], self.user(12346)["jobs_total"]), (2, 1))
        self.assertEqual(self.client(first.pid, 12345)["jobs_total"], 2)
        self.assertEqual(self.client(second.pid, 12346)["jobs_total"], 1)
        error = report(self.watcher)["errors"][0]
        self.assertEqual(
            (error["uid"], error["pid"], error["status"], error["operation"], error["count"]),
            (12346, second.pid, "BAD_RANGE", "topk", 1),
        )
        self.assertIn("99", error["message"])
        self.assertLess(abs(time.time() - error["time_unix_ms"] / 1e3), 60)
        used = self.user(12345)["cpu_seconds_total"]
        first.end(), second.end()
        Daemon.wait_for(lambda: self.user(12345)["connections"] == 0, "the clients to end")
        self.assertEqual(
            (self.user(12345)["jobs_total"], self.user(12345)["cpu_seconds_total"]),
            (2, used),
            "it outlives the connection",
        )
        self.assertEqual(
            self.client(first.pid, 12345)["connections"], 0, "and for a while one sees whose it was"
        )
        metrics = health(self.watcher, METRICS)
        self.assertIn('tegu_user_jobs_total{uid="12345"} 2\n', metrics)
        self.assertNotIn("pid", metrics)

    @unittest.skipIf(os.getuid() != 0, "needs root, to be other users")
    def test_a_hostile_user_hides_nobody(self):
        good = OtherUser(self.daemon.path, 12345)
        self.assertIn(
            "BAD_RANGE", good.do("c.job(operation=TOPK, params=topk_params(99), data=floats(1, 2, 3, 4))")
        )
        hostile = OtherUser(self.daemon.path, 12346)
        for operation in range(1, 11):
            hostile.do(
                "[c.job(operation=%d, cols=n, data=floats(1, 2, 3, 4)).status for n in (0, 3, 5, 2**62)]"
                % operation
            )
        hostile.do("[c.request(kind).status for kind in range(5, 64) for _ in range(20)]")
        for _ in range(100):
            hostile.do("Connection(c.socket.getpeername()).close()")
        daemon = report(self.watcher)
        of_hostile = [error for error in daemon["errors"] if error["uid"] == 12346]
        self.assertTrue(0 < len(of_hostile) <= 8, of_hostile)
        self.assertEqual(
            [error["status"] for error in daemon["errors"] if error["uid"] == 12345], ["BAD_RANGE"]
        )
        self.assertEqual(len(daemon["clients"]), 3)
        codes = {reason["code"] for reason in json.loads(health(self.watcher))["reasons"]}
        self.assertFalse(
            codes
            & {
                "executor_stalled",
                "internal_errors",
                "reload_failed",
                "watchdog_margin",
                "descriptor_store_degraded",
            }
        )
        good.end(), hostile.end()

    def test_texts_of_clients_are_escaped(self):
        name = b'\x1b[2J\n"\\\xff'
        self.watcher.close()
        self.watcher = Connection(self.daemon.path, hello=False)
        reply = self.watcher.request(rawclient.HELLO, rawclient.hello_body(name=name))
        if reply.status != "OK":  # such a name is refused
            self.watcher.close()
            self.watcher = Connection(self.daemon.path)
        text = health(self.watcher, TEXT)
        self.assertFalse([c for c in text if ord(c) < 32 and c != "\n"])
        Daemon.wait_for(lambda: report(self.watcher)["connections"] == 1, "the other connections to end")

    def test_remembers_reloads_and_degrades_while_one_is_refused(self):
        def state():
            whole = json.loads(health(self.watcher))
            return [each["code"] for each in whole["reasons"]], whole["daemon"]["reloads"]

        file = os.path.join(self.daemon.folder, "tegud.toml")
        self.assertEqual(state()[1], [])
        for text, ok in ((SETTINGS % "nonsense = 1\n", False), (SETTINGS % "limits.queued_jobs = 7\n", True)):
            with open(file, "w") as out:
                out.write(text)
            before = len(state()[1])
            self.daemon.process.send_signal(signal.SIGHUP)
            Daemon.wait_for(lambda: len(state()[1]) > before, "the reload")
            self.assertEqual(state()[1][0]["ok"], ok)
            self.assertIn("queued_jobs: " if ok else "nonsense: unknown key", state()[1][0]["message"])
            Daemon.wait_for(lambda: ("reload_failed" in state()[0]) == (not ok), "the state")
            self.assertIn("tegu_last_reload_successful %d\n" % ok, health(self.watcher, METRICS))

    def test_the_queue_is_told_by_priority_and_the_executor_is_busy(self):
        other = Connection(self.daemon.path)
        image = other.create(1 << 20).handle
        for priority in (1, 0, 0, 2):
            body = rawclient.job_body(
                operation=rawclient.ENTROPY_MAP,
                kind=rawclient.U8,
                rows=1024,
                cols=1024,
                handle=image,
                params=rawclient.entropy_params(63, 63, 256),
                out=other.create(4 << 20).handle,
                out_capacity=4 << 20,
            )
            other.submit(rawclient.JOB, body, priority=priority)
        self.assertEqual(other.request(rawclient.PING).status, "OK")  # they have been read
        daemon = report(self.watcher)
        queue = daemon["queue"]
        answered = sum(each["count"] for each in daemon["jobs"] + daemon["refused"])
        self.assertEqual(queue["high"] + queue["normal"] + queue["low"] + queue["running"] + answered, 4)
        Daemon.wait_for(
            lambda: (
                report(self.watcher)["jobs"] == [{"operation": "entropy_map", "status": "OK", "count": 4}]
            ),
            "all to end",
        )
        cpu = report(self.watcher)["executors"][1]
        self.assertEqual((cpu["name"], cpu["jobs_total"]), ("CPU", 4))
        self.assertGreater(cpu["busy_seconds_total"], 0)
        self.assertLessEqual(
            self.client(os.getpid())["cpu_seconds_total"], cpu["busy_seconds_total"] * os.cpu_count() + 0.1
        )
        other.close()

    @unittest.skipIf(shutil.which("promtool") is None, "needs promtool")
    def test_promtool_finds_nothing_to_say(self):
        self.assertEqual(sum_job(self.watcher).status, "OK")
        self.watcher.job(cols=0, params=rawclient.reduce_params(1 << rawclient.MAX))
        done = subprocess.run(
            ["promtool", "check", "metrics"],
            input=health(self.watcher, METRICS).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.assertEqual((done.returncode, done.stdout), (0, b""))


class SelfReportOfGpus(unittest.TestCase):
    """Two guarded devices in place of GPUs."""

    def test_a_divided_job_is_one_and_its_time_is_that_of_all_devices(self):
        settings = '[executor]\nbackend = "auto"\n[gpu]\ndevices = "all"\ndivide_us = 1\n'
        daemon = Daemon(settings, environment={"TEGU_TEST_GPU": "A,A"}, program="tests/guard_tegud")
        with Connection(daemon.path) as client:
            image = client.create(1 << 20).handle
            reply = client.job(
                kind=rawclient.U8,
                rows=1024,
                cols=1024,
                params=rawclient.reduce_params(),
                handle=image,
                backend=2,
            )
            self.assertEqual(reply.status, "OK", reply)
            self.assertEqual(client.fields(rawclient.STATS)["gpu_divided_total"], 1)
            self.assertEqual(client.job(cols=16, data=bytes(64), backend=2).status, "OK")
            seen = report(client)
            self.assertEqual((seen["backend"], seen["memory_class"]), ("gpu", "A"))
            self.assertEqual(seen["jobs"], [{"operation": "reduce", "status": "OK", "count": 2}])
            for phase in ("copy", "compute", "whole"):
                self.assertEqual(seen["latency_seconds"][phase]["count"], 2, phase)
            executors = {each["name"]: each for each in seen["executors"]}
            self.assertEqual(list(executors), ["inline", "CPU", "CPU express", "GPU 0", "GPU 1"])
            gpus = [executors["GPU 0"], executors["GPU 1"]]
            self.assertTrue(
                all(each["jobs_total"] > 0 and each["busy_seconds_total"] > 0 for each in gpus), gpus
            )
            (user,) = seen["users"]
            self.assertEqual((user["jobs_total"], user["cpu_seconds_total"]), (2, 0))
            self.assertGreater(user["device_seconds_total"], 0)
            self.assertLessEqual(
                user["device_seconds_total"], sum(each["busy_seconds_total"] for each in gpus)
            )
        self.assertEqual(daemon.stop(), 0)


if __name__ == "__main__":
    unittest.main()
