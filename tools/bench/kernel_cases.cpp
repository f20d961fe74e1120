// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/kernel_cases.h"

namespace tegu::bench {

Job sequence_job(ElementType type, std::uint64_t n, const JobParams& params) {
    Job job;
    job.type = type;
    job.cols = n;
    job.params = params;
    return job;
}

Job rows_job(ElementType type, std::uint64_t rows, std::uint64_t cols, const JobParams& params) {
    Job job = sequence_job(type, cols, params);
    job.rows = rows;
    job.axis = Axis::Rows;
    return job;
}

std::string name_of(const Job& job) {
    const std::string shape = job.axis == Axis::Whole
                                  ? "/n=" + std::to_string(job.rows * job.cols)
                                  : "/rows=" + std::to_string(job.rows) + "/cols=" + std::to_string(job.cols);
    return std::string(info_of(operation_of(job)).stem) + "/" + std::string(element_word(job.type)) + shape;
}

Result<void> run_kernel_cases(const Settings& settings, std::vector<Row>& rows) {
    KernelBench bench(settings);
#define TEGU_X(number, Name, stem, inputs, sentence) add_##stem##_cases(bench);
    TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    return bench.run(rows);
}

}  // namespace tegu::bench
