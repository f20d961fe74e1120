// SPDX-License-Identifier: Apache-2.0
// The settings of tegud, in one table. The struct, the loader, --check-config, --print-config,
// config/tegud.toml, docs/settings.md and the manual page are expanded from it. Add a setting here and
// nowhere else.
//
// A row is X(table, name, Kind, lowest, highest, default, zero, Reload, help):
//   Kind     the type of the value and of the member, see SettingKind.
//   lowest, highest   the closed range of a number, or of each number of a list; 0 may lie outside, see zero.
//                     For a Path, a Place and a Listen: the range of its length in bytes.
//   zero     the meaning of the value 0, or of a Place ""; "" if 0 has no special meaning.
//   Reload   the effect of SIGHUP on a changed value, see Reload.
//   help     sentences for the manual, in Markdown without links; `code` is the only mark-up.
#pragma once

#include <cstdint>
#include <string>

#include "base/log.h"

#define TEGU_SETTINGS_SOCKET(X)                                                                              \
    X(socket, path, Path, 2, 107, "/run/tegud/tegud.sock", "", Restart,                                      \
      "Where clients connect. Under systemd the socket unit makes the socket, and its `ListenStream=` "      \
      "decides.")                                                                                            \
    X(socket, mode, Mode, 0, 0777, 0660, "", Restart,                                                        \
      "Permissions of the socket: who may connect. Under systemd `SocketMode=` of the socket unit decides.") \
    X(socket, backlog, Count, 1, 65535, 1024, "", Restart,                                                   \
      "Connections that may wait to be accepted; the kernel cuts it to `net.core.somaxconn`. Under systemd " \
      "`Backlog=` of the socket unit decides.")

#define TEGU_SETTINGS_LOG(X) \
    X(log, level, Level, 0, 0, LogLevel::Info, "", Now, "Messages less important than this are dropped.")

#define TEGU_SETTINGS_EXECUTOR(X)                                                                          \
    X(executor, backend, Backend, 0, 0, ExecutorBackend::Auto, "", Restart,                                \
      "What runs the jobs: `auto`, a GPU too if there is one; `cpu` alone; or `gpu`, as `auto`, but "      \
      "degraded "                                                                                          \
      "without a GPU even if no GPU backend is installed. Each reply says what ran it.")                   \
    X(executor, threads, Count, 1, 1024, 0, "one per core", Restart, "Threads of the CPU pool.")           \
    X(executor, inline_budget_us, Microseconds, 1, 100000, 50, "never", Now,                               \
      "A job that is predicted to take less than this runs at once on the thread that reads the sockets: " \
      "no "                                                                                                \
      "hand-off. A larger value delays every other client for as long.")                                   \
    X(executor, spin_us, Microseconds, 1, 10000, 50, "never", Now,                                         \
      "While messages come quicker than this, the thread that reads the sockets looks for the next one "   \
      "instead "                                                                                           \
      "of going to sleep; so does the thread of each GPU. Small jobs are answered sooner, for the price "  \
      "of these cores. An idle daemon sleeps.")

#define TEGU_SETTINGS_GPU(X)                                                                                 \
    X(gpu, devices, Devices, 0, 63, "auto", "", Restart,                                                     \
      "Which GPUs run jobs: `auto`, the first that can be used; `all` that can be used; or a list of "       \
      "numbers, as "                                                                                         \
      "CUDA counts. Jobs are spread over them, each to the one that is done with it first.")                 \
    X(gpu, modules, Place, 2, 4000, "", "`tegu` in the library folder of the installation", Restart,         \
      "The folder with the GPU backends, files `tegu-cuda-*.so`. The one for the newest CUDA that works "    \
      "with the driver is used. A file and its folder must belong to root or to the daemon's user, and no "  \
      "other user may be able to write them. Without a file the CPU runs all jobs.")                         \
    X(gpu, memory_class, Memory, 0, 0, GpuMemory::Auto, "", Restart,                                         \
      "How buffers of clients get to the GPU: `auto` as its attributes say, else as on a board of this "     \
      "class: `A` "                                                                                          \
      "copies into managed memory, `B` registers mappings, `C` uses them in place, `discrete` copies to "    \
      "memory of "                                                                                           \
      "the device. Results do not depend on it. A class that the device cannot have leaves it unused.")      \
    X(gpu, arena_bytes, Bytes, 1048576, 1099511627776, 0, "three sixteenths of the physical memory",         \
      Restart,                                                                                               \
      "Memory for copies of buffers and for results of jobs on each GPU; at most half of what the GPU has. " \
      "A job "                                                                                               \
      "that needs more runs on the CPU.")                                                                    \
    X(gpu, workspace_bytes, Bytes, 1048576, 1099511627776, 0, "a sixteenth of the physical memory", Restart, \
      "Working memory of one job on each GPU; at most a quarter of what the GPU has. A job that needs more " \
      "runs "                                                                                                \
      "on the CPU. Short jobs beside another one have at most 8 MiB each.")                                  \
    X(gpu, divide_us, Microseconds, 1, 60000000, 1000, "never", Restart,                                     \
      "Where several GPUs run jobs: a reduction or an entropy map that is predicted to keep one of them "    \
      "for longer "                                                                                          \
      "than this is divided over those that are idle. Results do not depend on it.")

#define TEGU_SETTINGS_PLACEMENT(X)                                                                          \
    X(placement, probe_ms, Milliseconds, 1, 10000, 50, "never", Restart,                                    \
      "After the start, how long sample jobs may be timed on each backend: all kinds where neither a "      \
      "tuning "                                                                                             \
      "table nor an earlier start tells what jobs take, additions elsewhere. Jobs of clients run in "       \
      "between.")                                                                                           \
    X(placement, directory, Place, 2, 4000, "", "the state directory of the service, or none", Restart,     \
      "Where the times of the samples are kept for the next start.")                                        \
    X(placement, trial_jobs, Count, 8, 1000000, 128, "never", Now,                                          \
      "About one in so many jobs of a kind, if backends take the same time, runs where it is not expected " \
      "to be "                                                                                              \
      "done first, so that a wrong expectation is found out. Rarer where it costs more. Results do not "    \
      "depend on it.")

#define TEGU_SETTINGS_SCHEDULER(X)                                                                          \
    X(scheduler, quantum_us, Microseconds, 10, 1000000, 2000, "", Now,                                      \
      "Predicted running time that each user may start per round of the fair queue (deficit round robin). " \
      "Smaller is "                                                                                         \
      "fairer "                                                                                             \
      "between users with jobs of different sizes, larger switches less often.")

#define TEGU_SETTINGS_LIMITS(X)                                                                              \
    X(limits, connections, Count, 1, 65536, 1024, "", Now,                                                   \
      "Connections of all users together. Each counts as two file descriptors of the daemon, its socket "    \
      "and one that "                                                                                        \
      "came with a message not yet whole. With the buffers and 285 that are kept back they stay within "     \
      "`LimitNOFILE=` of the unit; beyond that the answer is `BUSY`.")                                       \
    X(limits, connections_per_uid, Count, 1, 65536, 64, "", Now, "Connections of one user.")                 \
    X(limits, jobs_in_flight_per_connection, Count, 1, 65536, 64, "", NewConnections,                        \
      "Jobs of one connection that have no reply yet. Clients learn the number when they connect.")          \
    X(limits, jobs_per_uid, Count, 1, 1048576, 256, "", Now, "Jobs of one user that have no reply yet.")     \
    X(limits, queued_jobs, Count, 1, 1048576, 256, "", Now,                                                  \
      "Jobs of all users that wait to run. Over it a job is refused as `BUSY`, with a time to retry after.") \
    X(limits, queued_work_ms, Milliseconds, 1, 3600000, 2000, "", Now,                                       \
      "How long all jobs that wait will run one after another, as predicted from what the daemon has "       \
      "measured so "                                                                                         \
      "far. Over it a job is refused as `BUSY`. One job may always wait, however long it takes.")            \
    X(limits, buffers_per_connection, Count, 1, 65536, 256, "", Now, "Buffers of one connection.")           \
    X(limits, buffers_per_uid, Count, 1, 65536, 1024, "", Now,                                               \
      "Buffers of one user. Each counts as one file descriptor of the daemon.")                              \
    X(limits, buffer_bytes, Bytes, 4096, 1099511627776, 0, "the same as buffer_bytes_per_uid", Now,          \
      "Size of one buffer.")                                                                                 \
    X(limits, buffer_bytes_per_uid, Bytes, 4096, 1099511627776, 0, "half of buffer_bytes_total", Now,        \
      "All buffers of one user together.")                                                                   \
    X(limits, buffer_bytes_total, Bytes, 4096, 1099511627776, 0, "three eighths of the physical memory",     \
      Now, "All buffers of all users together.")                                                             \
    X(limits, scratch_bytes, Bytes, 1048576, 1099511627776, 0, "an eighth of the physical memory", Now,      \
      "Working memory of one job. One that needs more is refused as `TOO_LARGE`.")                           \
    X(limits, reply_queue_bytes, Bytes, 65536, 1073741824, 1048576, "", Now,                                 \
      "Replies that one connection has not read yet. Over it the daemon stops reading from the connection "  \
      "until the "                                                                                           \
      "client has caught up.")                                                                               \
    X(limits, reply_queue_max_bytes, Bytes, 65536, 1073741824, 4194304, "", Now,                             \
      "Over this many bytes of unread replies the connection is closed.")

#define TEGU_SETTINGS_TIMEOUTS(X)                                                                      \
    X(timeouts, hello_ms, Milliseconds, 1, 3600000, 2000, "", NewConnections,                          \
      "A new connection must have said HELLO after this time, or it is closed.")                       \
    X(timeouts, frame_ms, Milliseconds, 1, 3600000, 10000, "", Now,                                    \
      "A message that has begun must be complete after this time, or the connection is closed.")       \
    X(timeouts, write_stall_ms, Milliseconds, 1, 3600000, 10000, "", Now,                              \
      "A connection with unread replies that takes no byte for this time is closed.")                  \
    X(timeouts, idle_ms, Milliseconds, 1, 604800000, 0, "never", Now,                                  \
      "A connection without a job in flight and without a buffer is closed after this time without a " \
      "message.")                                                                                      \
    X(timeouts, stop_ms, Milliseconds, 1, 3600000, 10000, "", Now,                                     \
      "After SIGTERM, how long jobs may still run. Then those that are left are answered with "        \
      "`SHUTTING_DOWN`.")                                                                              \
    X(timeouts, reattach_ms, Milliseconds, 1, 3600000, 30000, "", Restart,                             \
      "How long buffers that outlived the daemon wait for their clients to come back. Then they are "  \
      "dropped.")

#define TEGU_SETTINGS_METRICS(X)                                                                        \
    X(metrics, listen, Listen, 2, 107, "", "", Restart,                                                 \
      "Where scrapes of Prometheus are answered: HTTP, `GET /metrics`, to whoever can connect. Under "  \
      "systemd the "                                                                                    \
      "unit `tegud-metrics.socket` makes this socket and goes first: the daemon itself has no network " \
      "there.")                                                                                         \
    X(metrics, mode, Mode, 0, 0777, 0660, "", Restart,                                                  \
      "Permissions of the socket for scrapes, if that is a Unix socket.")

#define TEGU_SETTINGS_TUNING(X)                                                                              \
    X(tuning, directory, Place, 2, 4095, "", "the tables that came with tegud", Now,                         \
      "The directory with the tuning tables of devices, files `*.toml`: which launch policy a job gets "     \
      "where. "                                                                                              \
      "Results do not depend on them. A table that cannot be used is named in the log and in health, and "   \
      "ignored. "                                                                                            \
      "Each reload reads the tables again.")                                                                 \
    X(tuning, overlay, Place, 2, 4095, "/etc/tegud/tuning.toml", "none", Now,                                \
      "A tuning table of this machine, that goes before those of the directory; `tegu-tune apply` installs " \
      "it. It "                                                                                              \
      "need not be there.")

// X(Struct, table, TEGU_SETTINGS_..., title)
#define TEGU_SETTING_TABLES(X)                                                                     \
    X(Socket, socket, TEGU_SETTINGS_SOCKET, "The socket that clients connect to")                  \
    X(Log, log, TEGU_SETTINGS_LOG, "Messages of the daemon")                                       \
    X(Executor, executor, TEGU_SETTINGS_EXECUTOR, "What runs the jobs")                            \
    X(Gpu, gpu, TEGU_SETTINGS_GPU, "The GPU")                                                      \
    X(Placement, placement, TEGU_SETTINGS_PLACEMENT, "Where jobs run")                             \
    X(Tuning, tuning, TEGU_SETTINGS_TUNING, "Launch policies")                                     \
    X(Scheduler, scheduler, TEGU_SETTINGS_SCHEDULER, "In which order jobs run")                    \
    X(Limits, limits, TEGU_SETTINGS_LIMITS, "What one client, one user and all together may hold") \
    X(Timeouts, timeouts, TEGU_SETTINGS_TIMEOUTS, "How long the daemon waits")                     \
    X(Metrics, metrics, TEGU_SETTINGS_METRICS, "A second socket, that Prometheus reads")

namespace tegu::config {

enum class ExecutorBackend : std::uint8_t { Auto, Cpu, Gpu };
enum class GpuMemory : std::uint8_t { Auto, A, B, C, Discrete };

enum class SettingKind : std::uint8_t {
    Path,          // std::string: an absolute path that fits a socket address
    Mode,          // std::uint64_t: file permissions, written as an octal string
    Count,         // std::uint64_t
    Microseconds,  // std::uint64_t
    Milliseconds,  // std::uint64_t
    Bytes,         // std::uint64_t, written as an integer or as "64MiB"
    Level,         // LogLevel, written as its word
    Backend,       // ExecutorBackend, written as its word
    Memory,        // GpuMemory, written as its word
    Place,         // std::string: an absolute path of the file system, or "" if `zero` says what that means
    Listen,        // std::string: "", a Path, or an address and a port, see config/listen_address.h
    Devices,  // std::string: "auto", "all", or different numbers with commas; one alone may be an integer
};

// The effect of a reload (SIGHUP) on a changed value.
enum class Reload : std::uint8_t {
    Now,             // applied at once; what a client holds above a lowered limit stays, more is refused
    NewConnections,  // applied to connections made after the reload
    Restart,         // the running daemon keeps its value and says so
};

// The type of a member of the given kind.
template <SettingKind kind>
struct SettingMember {
    using Type = std::uint64_t;
};
template <>
struct SettingMember<SettingKind::Path> {
    using Type = std::string;
};
template <>
struct SettingMember<SettingKind::Place> {
    using Type = std::string;
};
template <>
struct SettingMember<SettingKind::Listen> {
    using Type = std::string;
};
template <>
struct SettingMember<SettingKind::Devices> {
    using Type = std::string;
};
template <>
struct SettingMember<SettingKind::Level> {
    using Type = LogLevel;
};
template <>
struct SettingMember<SettingKind::Backend> {
    using Type = ExecutorBackend;
};

template <>
struct SettingMember<SettingKind::Memory> {
    using Type = GpuMemory;
};

// settings.limits.connections, settings.timeouts.hello_ms, ...: the names of the table, units in the name.
// default_settings() and the loader fill in the sizes that depend on the machine: no derived 0 remains.
struct Settings {
#define TEGU_MEMBER(table, name, Kind, lowest, highest, initial, zero, reload, help) \
    SettingMember<SettingKind::Kind>::Type name = initial;
#define TEGU_STRUCT(Struct, table, ROWS, title) \
    struct Struct {                             \
        ROWS(TEGU_MEMBER)                       \
    } table;
    TEGU_SETTING_TABLES(TEGU_STRUCT)
#undef TEGU_STRUCT
#undef TEGU_MEMBER
};

// Bytes of physical memory of this machine; never 0.
std::uint64_t physical_memory_bytes();

// The defaults, with the derived sizes for a machine with that much memory.
Settings default_settings(std::uint64_t memory_bytes = physical_memory_bytes());

// Fills in every size whose 0 means "derived": see the column `zero` of limits.*_bytes* and gpu.*_bytes.
// Their sum is three quarters of a board's memory, which its CPU and GPU share. The rest is for the system,
// the clients and the CUDA context.
void derive_sizes(Settings& settings, std::uint64_t memory_bytes);

}  // namespace tegu::config
