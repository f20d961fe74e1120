// SPDX-License-Identifier: Apache-2.0
// Initial GPU cost estimates of each operation, before any measurement: operations/<stem>.cpp. Fitted to the
// times of docs/benchmarks/gpu.md, multiplied by the multiprocessors and GHz of that device. Probes and jobs
// correct the factors of other devices.
#pragma once

#include <vector>

#include "daemon/placement/gpu_work.h"
#include "daemon/placement/sample_job.h"

namespace tegu::daemon {

// The meaning of the rows of a sample.
enum class SampleRows {
    Segments,  // each has a result of its own; the axis is Axis::Rows if there are several
    Image,     // one image; a number of elements makes a square
    Lines,     // of one array, without a meaning
};

// gpu_work(): as gpu_work_of(). sample_<stem>(): the parameters of a sample. probes_<stem>(): the samples of
// a ProbePlan, the plain one first. fine_detail(): properties that affect the time and are not in tables, in
// up to 8 bits.
#define TEGU_X(number, Name, stem, inputs, sentence)              \
    GpuWork gpu_work(const Job& job, const Name##Params& params); \
    Name##Params sample_##stem(const Sample& sample);             \
    SampleRows sample_rows(const Name##Params& params);           \
    std::vector<Sample> probes_##stem();                          \
    unsigned fine_detail(const Name##Params& params);
TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X

// A sample of one segment, and of rows. The plan sets the operation and the number of elements.
Sample probe(ElementType type, std::uint64_t detail = 0);
Sample rows_probe(ElementType type, std::uint64_t detail = 0, std::uint64_t columns = 256);

constexpr double kBytePs = 60;   // read or written
constexpr double kRowPs = 4000;  // fixed cost of a segment

inline double elements(const Job& job) {
    return static_cast<double>(job.rows) * static_cast<double>(job.cols);
}
inline double read_ps(const Job& job) {
    return elements(job) * static_cast<double>(element_bytes(job.type)) * kBytePs;
}
inline double segments(const Job& job) {
    return job.axis == Axis::Rows ? static_cast<double>(job.rows) : 1;
}
// Work of counting elements in bins or levels.
GpuWork count_work(const Job& job, std::uint32_t bins, bool has_range, double row_ps);

inline std::uint64_t or_default(std::uint64_t detail, std::uint64_t initial) {
    return detail == 0 ? initial : detail;
}
inline unsigned log2_of(std::uint64_t value) {
    return value < 2 ? 0 : 63 - static_cast<unsigned>(__builtin_clzll(value));
}

}  // namespace tegu::daemon
