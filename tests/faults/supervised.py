# SPDX-License-Identifier: Apache-2.0
"""A tegud whose calls fail, started again when it ends, and what has to hold of it after each fault: alone,
and as a service that has buffers kept."""

import json
import os
import shutil
import tempfile

import rawclient
from daemon_paths import KEPT_PATHS, PATHS, checked, small_job
from fault_driver import Faults
from rawclient import Closed, Connection, Daemon
from store_base import Manager, StoreDaemon, filled, record, table_bytes, token_of

PATIENCE = 120.0  # for one path, on a machine that is busy
SETTINGS = "[executor]\nthreads = 2\nspin_us = 0\n"


class Supervised:
    """A daemon that is started again when it ends, as a service manager would."""

    PATHS = PATHS
    SETTINGS = SETTINGS
    FEATURES = 3

    def __init__(self, program, environment, backend):
        self.faults = Faults()
        self.folder = tempfile.mkdtemp(
            prefix="tegu-faults-"
        )  # a board without files: nothing of health is counted
        self.scrapes = os.path.join(self.folder, "scrapes")
        self.settings = self.SETTINGS + '[metrics]\nlisten = "%s"\n' % self.scrapes
        self.backend = backend
        self.program, self.environment = program, dict(environment, TEGU_FAULTS=self.faults.path)
        self.daemon = None
        self.start()

    def launch(self):
        return Daemon(
            self.settings,
            environment=self.environment,
            program=self.program,
            arguments=["--sysroot", self.folder],
        )

    def start(self):
        self.daemon = self.launch()
        self.witness = Connection(self.daemon.path)
        self.wait_until_idle()
        self.descriptors = self.daemon.descriptors()

    def stop(self):
        """Where it was built with sanitizers, the exit code tells of what leaked as well."""
        self.witness.close()
        self.end()
        self.faults.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def end(self):
        self.daemon.process.terminate()
        code, text = self.daemon.process.wait(PATIENCE), self.daemon.log_text()
        self.daemon.stop()
        assert code == 0, "tegud ended with %d\n%s" % (code, text)

    def connect(self):
        connection = Connection(self.daemon.path, hello=False, timeout=PATIENCE)
        connection.supervised, connection.backend = self, self.backend
        try:
            checked(connection.request(rawclient.HELLO, rawclient.hello_body(features=self.FEATURES)))
        except BaseException:
            connection.close()
            raise
        return connection

    def prepare(self, path):
        """Before each time along a path."""

    def idle(self):
        return self.load() == (1, 0, 0, 0)

    def wait_until_idle(self):
        try:
            Daemon.wait_for(self.idle, "", PATIENCE)
        except AssertionError:
            raise AssertionError(
                "connections, buffers, jobs that wait and jobs that run stay %s" % (self.load(),)
            )

    def load(self):
        stats = self.witness.fields(rawclient.STATS)
        return stats["connections"], stats["buffers"], stats["jobs_waiting"], stats["jobs_running"]

    def ended(self):
        """Whether it ended, in order: then it runs again."""
        if self.answers():
            return False
        self.daemon.process.wait(PATIENCE)
        code, text = self.daemon.process.returncode, self.daemon.log_text()
        errors = [
            line for line in text.splitlines() if line.startswith("tegud: error:") and "EXIT_CODE=" in line
        ]  # else of a reload
        assert code > 0, "tegud ended with %d\n%s" % (code, text)
        assert len(errors) == 1, "tegud ended with %d and said\n%s" % (code, text)
        self.witness.close()
        self.daemon.stop()
        self.start()
        return True

    def answers(self):
        """The witness is there before a fault and afterwards. Its connection may have ended for want of
        memory, as any other."""
        for _ in range(2):
            try:
                self.witness.request(rawclient.PING)
                return True
            except (Closed, OSError):
                self.witness.close()
            try:
                self.witness = Connection(self.daemon.path)
            except (Closed, OSError):
                return False
        return False

    def check(self, right):
        """The next client is served, and nothing is left over."""
        with self.connect() as connection:
            assert small_job(connection) == right, "the next job is wrong"
        self.wait_until_idle()
        Daemon.wait_for(
            lambda: self.daemon.descriptors() <= self.descriptors,
            "%d descriptors to be %d again" % (self.daemon.descriptors(), self.descriptors),
            PATIENCE,
        )
        self.descriptors = min(
            self.descriptors, self.daemon.descriptors()
        )  # at the start a service asks whether there is a store


class Service(Supervised):
    """With a service manager of the test, which keeps buffers."""

    PATHS = KEPT_PATHS
    SETTINGS = ""  # the store has its own
    FEATURES = 7

    def __init__(self, program, environment, backend):
        self.store_folder = tempfile.mkdtemp(prefix="tegu-faults-")
        self.manager = Manager(self.store_folder)
        super().__init__(program, environment, backend)

    def launch(self):
        return StoreDaemon(
            self.manager,
            self.settings,
            self.environment,
            program=self.program,
            arguments=["--sysroot", self.folder],
        )

    def stop(self):
        super().stop()
        self.manager.close()
        shutil.rmtree(self.store_folder, ignore_errors=True)

    def prepare(self, path):
        """For a buffer that comes back, the daemon before has left one."""
        if path != "a buffer that comes back":
            return
        self.witness.close()
        self.end()
        self.manager.take_all()
        with self.manager.lock:
            self.manager.drop(lambda entry: True)
        fd = filled(rawclient.floats(*range(1024)))
        try:
            self.manager.put("tegud-buffer-1", fd)
            table = filled(table_bytes(record(1, fd, token_of(1))))
            self.manager.put("tegud-table-1", table)
            os.close(table)
        finally:
            os.close(fd)
        self.start()

    def store(self):
        return json.loads(checked(self.witness.request(rawclient.HEALTH, bytes(8))).body[8:].decode())[
            "daemon"
        ]["descriptor_store"]

    def settled(self, orphans):
        """Nothing is on its way to the manager, or health says why nothing goes there."""
        store = self.store()
        if store["state"] != "ok":
            assert store["reason"], store
            return True
        names = self.manager.names()
        return (
            "tegud-probe" not in names
            and len([name for name in names if name.startswith("tegud-table-")]) == 1
            and (orphans or self.manager.buffers() == 0)
        )

    def idle(self):
        """A buffer that nobody came for stays until its time is over."""
        load = self.load()
        return load[0] == 1 and load[2:] == (0, 0) and self.settled(load[1] > 0)

    def check(self, right):
        super().check(right)
        if self.store()["state"] != "ok":  # it tries again after a while, which is not waited for
            self.witness.close()
            self.end()
            self.manager.take_all()
            with self.manager.lock:
                self.manager.drop(lambda entry: True)
            self.start()
