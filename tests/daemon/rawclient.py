# SPDX-License-Identifier: Apache-2.0
"""A client of tegud that sends whatever bytes it is told to: for tests that must break the rules.

Written from docs/protocol.md alone, with the standard library alone: it shares no code with the daemon or the
client library, so that an error which both of those make shows here. Also starts private daemons to be
attacked."""

import array
import contextlib
import ctypes
import fcntl
import os
import resource
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time

HEADER = struct.Struct("<4sBBHQIHBBQQ")
REPLY = 0x8000
EVENT, HELLO, PING, INFO, STATS = 0, 1, 2, 3, 4
BUFFER_REGISTER, BUFFER_CREATE, BUFFER_FREEZE, BUFFER_RELEASE, BUFFER_LIST = 5, 6, 7, 8, 9
JOB, CANCEL = 10, 11
HEALTH = 13
JOB_LIST, JOB_CANCEL = 15, 16
STATUS_WORDS = (
    "OK BAD_REQUEST UNSUPPORTED BAD_VERSION NOT_FOUND BAD_RANGE BAD_DESCRIPTOR TOO_LARGE OVER_QUOTA "
    "BUSY DEADLINE_EXCEEDED CANCELLED DENIED SHUTTING_DOWN DEVICE_LOST OUT_OF_MEMORY INTERNAL "
    "DUPLICATE_ID OVERFLOW EMPTY_INPUT UNAVAILABLE IO"
).split()
REDUCE, TOPK, ENTROPY_MAP, ADD, DOT, ROWSCALE, QUANTILE, HISTOGRAM, ENTROPY, FUSED = range(1, 11)
TWO_INPUTS = (ADD, DOT)
U8, I32, F32, F64 = 1, 6, 10, 11
TYPES = {1: "B", 2: "b", 3: "H", 4: "h", 5: "I", 6: "i", 7: "Q", 8: "q", 9: "e", 10: "f", 11: "d"}
SUM, MAX = 1, 4
VALUES, INDICES, MAP, DOT_PRODUCT, SCALES, QUANTILES, COUNTS, EDGES, ENTROPIES = (
    32,
    33,
    35,
    36,
    37,
    38,
    39,
    40,
    41,
)
F_ADD_SEALS, F_GET_SEALS = 1033, 1034
F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE = 1, 2, 4, 8
MFD_CLOEXEC, MFD_ALLOW_SEALING, MFD_HUGETLB = 1, 2, 4
FALLOC_FL_KEEP_SIZE, FALLOC_FL_PUNCH_HOLE = 1, 2
# seconds that a test waits for something that must happen; long, because nothing may depend on speed
PATIENCE = 60.0

JOB_FIELDS = (
    "id session rows cols age_ns predicted_ns left_ns uid pid operation type priority state place gpu gpus "
    "name_bytes"
).split()

_libc = ctypes.CDLL(None, use_errno=True)


def memfd(size=0, flags=MFD_CLOEXEC | MFD_ALLOW_SEALING, whole=True):
    """A memfd of `size` bytes; not sparse unless `whole` is False."""
    fd = _libc.memfd_create(b"test", flags)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "memfd_create")
    if size:
        os.ftruncate(fd, size)
        if whole:
            os.posix_fallocate(fd, 0, size)
    return fd


def punch_hole(fd, offset, size):
    mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE
    if _libc.fallocate(fd, mode, ctypes.c_long(offset), ctypes.c_long(size)) != 0:
        raise OSError(ctypes.get_errno(), "fallocate")


def header(
    kind,
    request_id,
    body_bytes,
    descriptors=0,
    priority=None,
    deadline=0,
    magic=b"TEGU",
    version=1,
    status=0,
    reserved=0,
    reserved_tail=0,
):
    if priority is None:
        priority = 1 if kind == JOB else 0
    return HEADER.pack(
        magic,
        version,
        descriptors,
        kind,
        request_id,
        body_bytes,
        status,
        priority,
        reserved,
        deadline,
        reserved_tail,
    )


def frame(kind, request_id, body=b"", **fields):
    return header(kind, request_id, fields.pop("body_bytes", len(body)), **fields) + body


def hello_body(version_min=1, version_max=1, features=3, name=b"rawclient"):
    return struct.pack("<HHHHQ", version_min, version_max, len(name), 0, features) + name


def reduce_params(statistics=1 << SUM, ddof=0, skip_nans=0):
    return struct.pack("<IIB7x", statistics, ddof, skip_nans)


def topk_params(k, largest=1, distinct=0):
    return struct.pack("<QBB6x", k, largest, distinct)


def entropy_params(rows=3, cols=3, levels=16, has_range=0, lo=0.0, hi=0.0, base=0, border=0):
    return struct.pack("<IIIBBBxdd", rows, cols, levels, has_range, base, border, lo, hi)


def quantile_params(q=(0.5,), method=0, skip_nans=0, count=None):
    return struct.pack("<IBB2x", len(q) if count is None else count, method, skip_nans) + struct.pack(
        "<%dd" % len(q), *q
    )


def histogram_params(bins=10, has_range=0, lo=0.0, hi=0.0, skip_nans=0):
    return struct.pack("<IBB2xdd", bins, has_range, skip_nans, lo, hi)


def entropy_of_levels_params(levels=256, has_range=0, lo=0.0, hi=0.0, base=0, skip_nans=0):
    return struct.pack("<IBBBxdd", levels, has_range, base, skip_nans, lo, hi)


def fused_params(*parts, count=None):
    """`parts`: (operation, parameters)."""
    blocks = [struct.pack("<H6x", operation) + params for operation, params in parts]
    return struct.pack("<I4x", len(parts) if count is None else count) + b"".join(blocks)


def skip_nans_params(skip_nans=0):
    """dot and rowscale; add has eight zero bytes, the same."""
    return struct.pack("<B7x", skip_nans)


def default_params(operation):
    return {
        REDUCE: reduce_params(),
        TOPK: topk_params(1),
        ENTROPY_MAP: entropy_params(),
        ADD: skip_nans_params(),
        DOT: skip_nans_params(),
        ROWSCALE: skip_nans_params(),
        QUANTILE: quantile_params(),
        HISTOGRAM: histogram_params(),
        ENTROPY: entropy_of_levels_params(),
        FUSED: fused_params((REDUCE, reduce_params())),
    }.get(operation, b"")


def job_body(
    operation=REDUCE,
    kind=F32,
    rows=1,
    cols=4,
    params=None,
    data=b"",
    handle=0,
    offset=0,
    generation=0,
    stride=0,
    out=0,
    out_offset=0,
    out_capacity=0,
    axis=0,
    backend=0,
    reserved=0,
    params_bytes=None,
    second=(),
):
    """`second`: handle, offset, generation and stride of a second input, as far as they are not zero."""
    if params is None:
        params = default_params(operation)
    operands = struct.pack("<QQQQ", handle, offset, generation, stride)
    if operation in TWO_INPUTS:
        operands += struct.pack("<QQQQ", *(tuple(second) + (0, 0, 0, 0))[:4])
    return (
        struct.pack(
            "<HBBBBHQQ",
            operation,
            kind,
            axis,
            backend,
            reserved,
            len(params) if params_bytes is None else params_bytes,
            rows,
            cols,
        )
        + operands
        + struct.pack("<QQQ", out, out_offset, out_capacity)
        + params
        + data
    )


def floats(*values):
    return struct.pack("<%df" % len(values), *values)


class Closed(Exception):
    """The daemon ended the connection."""


class Reply:
    def __init__(self, fields, body, fds):
        (
            _,
            self.version,
            self.descriptors,
            self.kind,
            self.request_id,
            _,
            self.status_number,
            _,
            _,
            self.retry_after_ns,
            _,
        ) = fields
        self.status = STATUS_WORDS[self.status_number]
        self.body = body
        self.fds = fds
        self.field = self.allowed = self.message = ""
        if self.status != "OK":
            lengths = struct.unpack_from("<HHH", body)
            texts, at = [], 8
            for length in lengths:
                texts.append(body[at : at + length].decode())
                at += length
            self.field, self.allowed, self.message = texts

    def close(self):
        """The descriptors that came with it. Whoever wants to keep one takes it out of fds."""
        while self.fds:
            os.close(self.fds.pop())

    __del__ = close

    @property
    def is_event(self):
        return self.kind == EVENT

    @property
    def handle(self):
        return struct.unpack_from("<Q", self.body)[0]

    def arrays(self):
        """role -> (rows, cols, values) of the reply to a JOB; for results in an output, values is the
        offset."""
        _, in_output, count, policy_bytes = struct.unpack_from("<BBHH", self.body)
        data = 32 + 32 * count + policy_bytes
        data += -data % 8
        result = {}
        for i in range(count):
            role, kind, rows, cols, offset = struct.unpack_from("<BB6xQQQ", self.body, 32 + 32 * i)
            values = (
                offset
                if in_output
                else struct.unpack_from("<%d%s" % (rows * cols, TYPES[kind]), self.body, data + offset)
            )
            result[role] = (rows, cols, values)
        return result

    def __repr__(self):
        return "<type 0x%04x id %d %s field=%r allowed=%r message=%r>" % (
            self.kind,
            self.request_id,
            self.status,
            self.field,
            self.allowed,
            self.message,
        )


class Connection:
    """One connection. Replies may be fetched by request id; the others wait."""

    def __init__(self, path, hello=True, timeout=PATIENCE, features=3):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        try:
            self.socket.connect(path)
        except OSError:
            self.socket.close()
            raise
        self.next_id = 0
        self.waiting = []
        self.received = b""
        self.fds = []
        if hello:
            reply = self.request(HELLO, hello_body(features=features))
            assert reply.status == "OK", reply

    def close(self):
        self.socket.close()
        for fd in self.fds:
            os.close(fd)
        self.fds = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, data, fds=()):
        """Sends bytes, the descriptors with the first of them."""
        if fds:
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))]
            data = data[self.socket.sendmsg([data], rights) :]
        if data:
            self.socket.sendall(data)

    def submit(self, kind, body=b"", fds=(), **fields):
        """Sends a request; returns its id. Descriptors travel with the header alone, as the protocol asks."""
        self.next_id += 1
        request_id = fields.pop("request_id", self.next_id)
        message = frame(kind, request_id, body, descriptors=fields.pop("descriptors", len(fds)), **fields)
        if fds:
            self.send(message[: HEADER.size], fds)
            self.send(message[HEADER.size :])
        else:
            self.send(message)
        return request_id

    def submit_all(self, *requests):
        """Sends (kind, body) of several requests at once, so that nothing of this process comes between them.
        Returns their ids."""
        first = self.next_id + 1
        self.next_id += len(requests)
        self.send(b"".join(frame(kind, first + i, body) for i, (kind, body) in enumerate(requests)))
        return list(range(first, first + len(requests)))

    def _receive(self, size):
        while len(self.received) < size:
            try:
                data, control, _, _ = self.socket.recvmsg(1 << 16, socket.CMSG_SPACE(16 * 4))
            except (ConnectionResetError, BrokenPipeError):
                raise Closed()
            for level, kind, content in control:
                if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                    fds = array.array("i")
                    fds.frombytes(content[: len(content) - len(content) % fds.itemsize])
                    self.fds.extend(fds)
            if not data:
                raise Closed()
            self.received += data
        taken, self.received = self.received[:size], self.received[size:]
        return taken

    def receive(self):
        """The next message of the daemon. Raises Closed at the end."""
        fields = HEADER.unpack(self._receive(HEADER.size))
        assert fields[0] == b"TEGU" and fields[1] == 1, fields
        body = self._receive(fields[5])
        fds, self.fds = self.fds[: fields[2]], self.fds[fields[2] :]
        return Reply(fields, body, fds)

    def wait(self, request_id):
        for reply in self.waiting:
            if reply.request_id == request_id:
                self.waiting.remove(reply)
                return reply
        while True:
            reply = self.receive()
            if reply.request_id == request_id:
                return reply
            self.waiting.append(reply)

    def request(self, kind, body=b"", fds=(), **fields):
        return self.wait(self.submit(kind, body, fds, **fields))

    def job(self, deadline=0, priority=1, **fields):
        return self.request(JOB, job_body(**fields), deadline=deadline, priority=priority)

    def register(self, fd, size, access=0):
        return self.request(BUFFER_REGISTER, struct.pack("<QB7x", size, access), fds=[fd])

    def create(self, size):
        return self.request(BUFFER_CREATE, struct.pack("<Q", size))

    def named(self, kind, handle):
        """FREEZE and RELEASE."""
        return self.request(kind, struct.pack("<Q", handle))

    def cancel(self, target):
        return self.request(CANCEL, struct.pack("<Q", target))

    def cancel_job(self, ident):
        return self.request(JOB_CANCEL, struct.pack("<Q", ident))

    def list_jobs(self, after=0):
        """(next, all_users, jobs as dictionaries) of one reply."""
        reply = self.request(JOB_LIST, struct.pack("<Q", after))
        assert reply.status == "OK", reply
        following, count, everybody = struct.unpack_from("<QHB5x", reply.body)
        at, jobs = 16, []
        for _ in range(count):
            values = struct.unpack_from("<7Q2IH7B7x", reply.body, at)
            job = dict(zip(JOB_FIELDS, values))
            at += 80
            job["name"] = reply.body[at : at + job["name_bytes"]].decode()
            at += job["name_bytes"]
            jobs.append(job)
        assert at == len(reply.body), (at, reply)
        return following, everybody, jobs

    def all_jobs(self):
        following, _, jobs = self.list_jobs()
        while following:
            following, _, more = self.list_jobs(following)
            jobs += more
        return jobs

    def fields(self, kind):
        """INFO or STATS as a dictionary."""
        return self.named_fields(self.request(kind))

    @staticmethod
    def named_fields(reply):
        body = reply.body
        (count,) = struct.unpack_from("<H", body)
        at, result = 8, {}
        for _ in range(count):
            form, name_bytes, value_bytes = struct.unpack_from("<BBH", body, at)
            name = body[at + 4 : at + 4 + name_bytes].decode()
            at += 4 + name_bytes
            value = body[at : at + value_bytes]
            at += value_bytes
            result[name] = {
                0: lambda v: struct.unpack("<Q", v)[0],
                1: lambda v: struct.unpack("<d", v)[0],
            }.get(form, bytes.decode)(value)
        return result


class Daemon:
    """A private tegud on a temporary socket, with the given settings (TOML), variables and further arguments,
    allowed to open so many descriptors. `program`: within the build folder."""

    def __init__(self, settings="", descriptors=None, environment=(), program="bin/tegud", arguments=()):
        build = os.environ.get("TEGU_BUILD_DIR", "build/release")
        self.folder = tempfile.mkdtemp(prefix="tegud-test-")
        os.chmod(self.folder, 0o755)
        self.path = os.path.join(self.folder, "s")
        file = os.path.join(self.folder, "tegud.toml")
        with open(file, "w") as out:
            out.write(settings)
        self.log = open(os.path.join(self.folder, "log"), "w+")
        inherited = {
            name: value for name, value in os.environ.items() if name != "LD_PRELOAD"
        }  # a sanitizer's runtime, for Python alone
        self.process = subprocess.Popen(
            [os.path.join(build, program), "--config", file, "--socket", self.path] + list(arguments),
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            env=dict(dict(inherited, CUDA_VISIBLE_DEVICES=""), **dict(environment)),
            preexec_fn=lambda: self._prepare(descriptors),
        )
        try:
            self.wait_for(self._answers, "the daemon to answer")
        except BaseException:
            self.stop()
            raise

    @staticmethod
    def _prepare(descriptors):
        """In the child, before it becomes tegud."""
        _libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: a test that is killed leaves no daemon behind
        if descriptors is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    def _answers(self):
        if self.process.poll() is not None:
            raise AssertionError("tegud ended: " + self.log_text())
        try:
            Connection(self.path).close()
            return True
        except (FileNotFoundError, ConnectionRefusedError):
            return False

    @staticmethod
    def wait_for(condition, what, patience=PATIENCE):
        end = time.monotonic() + patience
        while not condition():
            if time.monotonic() > end:
                raise AssertionError("waited in vain for " + what)
            time.sleep(0.01)

    @contextlib.contextmanager
    def stopped(self):
        """It does nothing meanwhile, and finds all that was sent when it goes on."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            os.waitpid(self.process.pid, os.WUNTRACED)
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def descriptors(self):
        """How many are open, but for the files that tell of the board's health: each is open for a moment,
        now and then."""
        folder, count = "/proc/%d/fd" % self.process.pid, 0
        for name in os.listdir(folder):
            try:
                count += not os.readlink(os.path.join(folder, name)).startswith(
                    ("/etc/", "/proc/", "/sys/", "/var/")
                )
            except FileNotFoundError:
                pass  # closed since
        return count

    def resident_bytes(self):
        with open("/proc/%d/statm" % self.process.pid) as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def alive(self):
        return self.process.poll() is None

    def log_text(self):
        self.log.seek(0)
        return self.log.read()

    def stop(self, patience=PATIENCE):
        """SIGTERM, if it still runs; returns the exit code."""
        try:
            if self.alive():
                self.process.send_signal(signal.SIGTERM)
            return self.process.wait(patience)
        finally:
            if self.alive():
                self.process.kill()
                self.process.wait()
            self.log.close()
            shutil.rmtree(self.folder, ignore_errors=True)


def seals(fd):
    return fcntl.fcntl(fd, F_GET_SEALS)


def add_seals(fd, which):
    fcntl.fcntl(fd, F_ADD_SEALS, which)
