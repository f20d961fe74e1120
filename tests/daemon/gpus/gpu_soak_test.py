# SPDX-License-Identifier: Apache-2.0
"""Hours of use of a GPU in seconds: clients in processes of their own send jobs of every operation, on arrays
and on buffers, cancel some, rewrite buffers while jobs run, leave and come back. Every result is right, and
after each of several equal rounds, when all have gone, the daemon holds no more memory and no more
descriptors than after the second, but for what its arena keeps within its limit.

On the guarded device in strict mode; with $TEGU_TEST_CUDA set in tegud itself on the GPU of this machine, in
each memory class that it can be forced into, and the device's own count of used memory is compared, too.
$TEGU_SOAK_SECONDS: for all (default 5)."""

import os
import subprocess
import sys
import time
import traceback

TESTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(TESTS, room) for room in ("client", "reliability", "daemon")]
import harness  # noqa: E402
import rawclient  # noqa: E402

harness.preload_sanitizer()

try:
    import tegu
    from mixed_load import make_cases, make_inputs, Worker
except ImportError as error:
    print("skipped: %s" % error)
    sys.exit(77)

SECONDS = float(os.environ.get("TEGU_SOAK_SECONDS", "5"))
ON_CUDA = "TEGU_TEST_CUDA" in os.environ
SANITIZED = bool(
    os.environ.get("TEGU_SANITIZE")
)  # its allocator keeps what was freed for a while, up to a bound of its own
CLIENTS = 4
ROUNDS = 4
MIB = 1 << 20
ARENA_BYTES = 192 * MIB
ACTS = {"on_array": 6, "on_buffer": 6, "scribbled": 3, "pipelined": 1, "cancelled": 1, "left": 1}
BACKENDS = ("gpu", "gpu", "auto")


def run_round(path, inputs, cases, seconds):
    """All clients at once, each in its process. The number of jobs whose results were compared."""
    end, children = time.monotonic() + seconds, []
    for seed in range(CLIENTS):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                worker = Worker(path, inputs, cases, seed, ACTS, BACKENDS)
                worker.run(lambda: time.monotonic() < end)
                worker.leave()
                os.write(writer, b"%d" % worker.outcomes["right"])
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        os.close(writer)
        children.append((child, reader))
    jobs, failed = 0, False
    for child, reader in children:
        text = os.read(reader, 100)
        os.close(reader)
        failed = os.waitpid(child, 0)[1] != 0 or failed
        jobs += int(text or b"0")
    if failed:
        raise AssertionError("a client failed")
    return jobs


def device_bytes():
    """Memory in use on the device, by everybody; 0 where its driver does not tell."""
    if not ON_CUDA:
        return 0
    try:
        text = subprocess.run(
            ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ).stdout.decode()
        return int(text.split()[0]) * MIB
    except (OSError, ValueError, IndexError):
        return 0


def sample(daemon):
    """What the daemon holds when all clients have gone."""
    connection = rawclient.Connection(daemon.path)

    def is_quiet():
        stats = connection.fields(rawclient.STATS)
        return stats["connections"] == 1 and all(
            stats[name] == 0
            for name in ("buffer_bytes", "gpu_buffers", "gpu_arena_used_bytes", "jobs_in_flight")
        )

    try:
        daemon.wait_for(is_quiet, "the daemon to have let go of everything")
        stats = connection.fields(rawclient.STATS)
        descriptors = daemon.descriptors()
    finally:
        connection.close()
    return {
        "descriptors": descriptors,
        "resident": daemon.resident_bytes(),
        "arena": stats["gpu_arena_bytes"],
        "device": device_bytes(),
        "jobs on the GPU": stats["gpu_jobs_total"],
    }


def soak(memory_class, inputs, seconds):
    """False: the device cannot be forced into this class."""
    settings = '[executor]\nbackend = "auto"\n[gpu]\narena_bytes = "%dMiB"\n' % (ARENA_BYTES // MIB)
    if ON_CUDA:
        daemon = rawclient.Daemon(
            settings + 'memory_class = "%s"\n' % memory_class,
            environment={"CUDA_VISIBLE_DEVICES": os.environ.get("CUDA_VISIBLE_DEVICES", "0")},
        )
    else:
        daemon = rawclient.Daemon(
            settings, environment={"TEGU_TEST_GPU": memory_class}, program="tests/guard_tegud"
        )
    try:
        with tegu.connect(daemon.path) as client:
            info = client.info()
        if info["backend"] != "gpu":
            print("memory class %s: %s" % (memory_class, info["backend_reason"]))
            return False
        cases = make_cases(daemon.path, inputs)
        samples, jobs = [], 0
        for _ in range(ROUNDS):
            jobs += run_round(daemon.path, inputs, cases, seconds / ROUNDS)
            samples.append(sample(daemon))
        print("memory class %s: %d results compared; after each round: %s" % (memory_class, jobs, samples))
        first, last = samples[1], samples[-1]
        assert daemon.alive(), daemon.log_text()
        assert last["jobs on the GPU"] > first["jobs on the GPU"] > 0, samples
        assert last["descriptors"] <= first["descriptors"], samples
        # The arena keeps memory for jobs of like sizes, none of which is in use now, within its limit; a new
        # mixture of jobs may want another piece.
        assert last["arena"] <= ARENA_BYTES, samples
        kept = max(0, last["arena"] - first["arena"])
        assert SANITIZED or last["resident"] <= first["resident"] + kept + 16 * MIB, samples
        assert last["device"] <= first["device"] + kept + 64 * MIB, samples
        return True
    finally:
        daemon.stop()


def main():
    inputs = make_inputs(2000000 if ON_CUDA else 100000)
    classes = ("A", "B", "C", "discrete")
    ran = [soak(memory_class, inputs, SECONDS / len(classes)) for memory_class in classes]
    if not any(ran):
        print("skipped: no GPU")
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
