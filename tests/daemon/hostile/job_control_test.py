#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""JOB_LIST and JOB_CANCEL: jobs of other connections are listed and cancelled, those of other users are not,
and no request keeps the daemon from others. As root also with clients of other users."""

import os
import struct
import unittest

from hostile_base import HostileTest  # first: finds the helpers
import rawclient
from other_user import NOBODY, OtherUser
from queue_test import LONG_COLS, LONG_ROWS, LongJobs
from rawclient import Connection

JOB_CONTROL = 8
FEATURES = 3 | JOB_CONTROL
WAITS, RUNS = 0, 1
AS_ROOT = unittest.skipIf(os.getuid() != 0, "other users need root")


class ControlledJobs(LongJobs):
    def control(self):
        connection = Connection(self.daemon.path, features=FEATURES)
        self.opened.append(connection)
        return connection

    def busy(self):
        """A connection with a job that runs and one that waits."""
        connection = self.connect_with_buffers()
        connection.long_job = self.submit_long(connection)
        connection.waiting_job = self.submit_waiting(connection, priority=2)
        self.wait_for_stats(jobs_waiting=1)
        return connection


class JobControl(ControlledJobs):
    def test_lists_what_waits_and_runs(self):
        self.busy()
        control = self.control()
        following, everybody, jobs = control.list_jobs()
        self.assertEqual((following, everybody, len(jobs)), (0, 1, 2))  # this user is the daemon's
        for job in jobs:
            self.assertEqual((job["uid"], job["pid"]), (os.getuid(), os.getpid()))
            self.assertEqual((job["name"], job["place"], job["gpus"]), ("rawclient", 0, 0))
            self.assertLessEqual(job["left_ns"], job["predicted_ns"])
            self.assertGreater(job["predicted_ns"], 0)
            self.assertGreater(job["age_ns"], 0)
        runs, waits = jobs
        self.assertLess(runs["id"], waits["id"])
        self.assertEqual((runs["operation"], runs["type"]), (rawclient.ENTROPY_MAP, rawclient.U8))
        self.assertEqual((runs["rows"], runs["cols"]), (LONG_ROWS, LONG_COLS))
        self.assertEqual((runs["state"], runs["priority"]), (RUNS, 1))
        self.assertEqual((waits["operation"], waits["type"]), (rawclient.REDUCE, rawclient.F32))
        self.assertEqual((waits["state"], waits["priority"]), (WAITS, 2))
        self.assertEqual(waits["left_ns"], waits["predicted_ns"])
        self.assertEqual(control.list_jobs(runs["id"])[2][0]["id"], waits["id"])
        self.assertEqual(control.list_jobs(waits["id"])[2], [])
        self.assertEqual(control.list_jobs((1 << 64) - 1), (0, 1, []))

    def test_cancels_jobs_of_another_connection(self):
        owner = self.busy()
        control = self.control()
        runs, waits = control.all_jobs()
        self.assertEqual(control.cancel_job(waits["id"]).body, bytes(8))
        reply = owner.wait(owner.waiting_job)
        self.assertEqual(
            (reply.status, reply.message), ("CANCELLED", "the job was cancelled before it started")
        )
        self.assert_refused(control.cancel_job(waits["id"]), "NOT_FOUND", "id")
        self.assertEqual(control.cancel_job(runs["id"]).body, b"\1" + bytes(7))
        reply = owner.wait(owner.long_job)
        self.assertEqual((reply.status, reply.message), ("CANCELLED", "the job was cancelled"))
        self.assertEqual(control.all_jobs(), [])
        self.assert_lives(owner)

    def test_cancels_its_own(self):
        connection = Connection(self.daemon.path, features=FEATURES)
        self.opened.append(connection)
        connection.image, connection.map = (
            connection.create(LONG_ROWS * LONG_COLS),
            connection.create(4 * LONG_ROWS * LONG_COLS),
        )
        for reply in (connection.image, connection.map):
            os.close(reply.fds.pop())
        long_job = self.submit_long(connection)
        waiting = self.submit_waiting(connection)
        self.wait_for_stats(jobs_waiting=1)
        runs, waits = connection.all_jobs()
        self.assertEqual(connection.cancel_job(waits["id"]).status, "OK")
        self.assertEqual(connection.wait(waiting).status, "CANCELLED")
        self.assertEqual(connection.cancel_job(runs["id"]).status, "OK")
        self.assertEqual(connection.wait(long_job).status, "CANCELLED")

    def test_jobs_of_a_client_that_left_are_not_listed(self):
        owner = self.busy()
        control = self.control()
        ids = [job["id"] for job in control.all_jobs()]
        owner.close()
        self.opened.remove(owner)
        rawclient.Daemon.wait_for(lambda: control.all_jobs() == [], "the jobs to be gone")
        for ident in ids:
            self.assert_refused(control.cancel_job(ident), "NOT_FOUND", "id")

    def test_what_no_one_agreed_on_is_refused(self):
        connection = self.connect()
        for kind in (rawclient.JOB_LIST, rawclient.JOB_CANCEL):
            self.assert_refused(connection.request(kind, struct.pack("<Q", 1)), "UNSUPPORTED", "features")
        self.assert_lives(connection)

    def test_malformed(self):
        control = self.control()
        for kind in (rawclient.JOB_LIST, rawclient.JOB_CANCEL):
            for size in (0, 7, 9, 4096):
                self.assert_refused(control.request(kind, b"\1" * size), "BAD_REQUEST", "body")
            for fields in ({"status": 1}, {"priority": 1}, {"deadline": 1}):
                reply = control.request(kind, struct.pack("<Q", 1), **fields)
                self.assert_refused(reply, "BAD_REQUEST", list(fields)[0].replace("deadline", "deadline_ns"))
        self.assert_refused(control.cancel_job(0), "BAD_RANGE", "id")
        for ident in (1 << 48, 1 << 63, (1 << 64) - 1):
            self.assert_refused(control.cancel_job(ident), "NOT_FOUND", "id")
        self.assert_lives(control)

    def test_floods(self):
        owner = self.busy()
        control = self.control()
        requests = [(rawclient.JOB_LIST, struct.pack("<Q", 0))] * 1000
        requests += [(rawclient.JOB_CANCEL, struct.pack("<Q", 1 << 40))] * 1000
        for request_id in control.submit_all(*requests):
            self.assertIn(control.wait(request_id).status, ("OK", "NOT_FOUND"))
        owner.cancel(owner.long_job)
        self.assertEqual(owner.wait(owner.waiting_job).status, "OK")


class LongList(ControlledJobs):
    JOBS = 1200
    SETTINGS = LongJobs.SETTINGS + (
        '[socket]\nmode = "0666"\n'
        "[limits]\nqueued_jobs = 4000\nqueued_work_ms = 3600000\n"
        "jobs_in_flight_per_connection = 2000\njobs_per_uid = 4000\n"
    )

    def test_goes_on_in_the_next_reply(self):
        owner = self.connect_with_buffers()
        self.submit_long(owner)
        for _ in range(self.JOBS):
            self.submit_waiting(owner)
        self.wait_for_stats(jobs_waiting=self.JOBS)
        control = self.control()
        following, _, jobs = control.list_jobs()
        self.assertEqual(len(jobs), 512)
        self.assertEqual(following, jobs[-1]["id"])
        ids = [job["id"] for job in control.all_jobs()]
        self.assertEqual(len(ids), self.JOBS + 1)
        self.assertEqual(ids, sorted(set(ids)))
        if os.getuid() == 0:
            self.nobody_walks_past(ids)
        self.witness_is_served_meanwhile(control)

    def nobody_walks_past(self, ids):
        """Jobs of others are looked at, too: the first reply is empty, and says where to go on."""
        user = OtherUser(self.daemon.path, NOBODY, FEATURES)
        try:
            self.assertEqual(user.do("c.list_jobs()").strip(), repr((ids[1023], 0, [])))
            self.assertEqual(user.do("c.all_jobs()").strip(), "[]")
        finally:
            user.end()

    def witness_is_served_meanwhile(self, control):
        requests = control.submit_all(*[(rawclient.JOB_LIST, struct.pack("<Q", 0))] * 100)
        self.assert_well()
        for request_id in requests:
            self.assertEqual(control.wait(request_id).status, "OK")


@AS_ROOT
class OtherUsers(ControlledJobs):
    SETTINGS = LongJobs.SETTINGS + '[socket]\nmode = "0666"\n'
    # A job too long for the express lane, into a variable of the other process.
    SUBMIT = (
        "setattr(c, 'sent', c.submit(JOB, job_body(ENTROPY_MAP, U8, rows=%d, cols=%d, handle=c.image.handle, "
        "out=c.map.handle, out_capacity=%d, params=entropy_params(63, 63, 256))))"
        % (LONG_ROWS, LONG_COLS, 4 * LONG_ROWS * LONG_COLS)
    )

    def test_see_and_cancel_nothing_of_each_other(self):
        users = [OtherUser(self.daemon.path, uid, FEATURES) for uid in (NOBODY, NOBODY - 1)]
        try:
            self.see_and_cancel_nothing(*users)
        finally:
            for user in users:
                user.end()

    def see_and_cancel_nothing(self, owner, stranger):
        blocking = self.busy()
        for name, size in (("image", LONG_ROWS * LONG_COLS), ("map", 4 * LONG_ROWS * LONG_COLS)):
            owner.do("setattr(c, %r, c.create(%d))" % (name, size))
        owner.do(self.SUBMIT)
        self.wait_for_stats(jobs_waiting=2)
        control = self.control()
        jobs = control.all_jobs()
        self.assertEqual([job["uid"] for job in jobs], [0, 0, NOBODY])
        ident = jobs[2]["id"]

        self.assertEqual(stranger.do("c.list_jobs()").strip(), "(0, 0, [])")
        cancels = "[r.status for r in map(c.cancel_job, %r)]" % [job["id"] for job in jobs]
        self.assertEqual(eval(stranger.do(cancels)), ["NOT_FOUND"] * 3)
        # Nothing tells a job of somebody else from one that is not there.
        answers = [eval(stranger.do("c.cancel_job(%d).message" % each)) for each in (1 << 40, ident)]
        self.assertEqual(answers[0], answers[1])

        _, everybody, mine = eval(owner.do("c.list_jobs()"))
        self.assertEqual((everybody, [job["id"] for job in mine]), (0, [ident]))
        self.assertEqual(eval(owner.do(cancels)), ["NOT_FOUND", "NOT_FOUND", "OK"])
        self.assertEqual(eval(owner.do("c.wait(c.sent).status")), "CANCELLED")

        owner.do(self.SUBMIT)
        self.wait_for_stats(jobs_waiting=2)
        (again,) = [job for job in control.all_jobs() if job["uid"] == NOBODY]
        self.assertEqual(control.cancel_job(again["id"]).status, "OK")  # root cancels anybody's
        self.assertEqual(eval(owner.do("c.wait(c.sent).status")), "CANCELLED")
        blocking.cancel(blocking.long_job)
        self.assertEqual(blocking.wait(blocking.waiting_job).status, "OK")


del HostileTest
if __name__ == "__main__":
    unittest.main()
