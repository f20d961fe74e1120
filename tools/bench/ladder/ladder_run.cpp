// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/ladder/ladder_run.h"

namespace tegu::bench {

LadderRun::LadderRun(const LadderSettings& settings) : settings_(settings), timer_(settings.quick) {
    report_.gpu = timer_.device();
    report_.copy_gigabytes_per_second = timer_.copy_bytes_per_us() / 1e3;
    report_.copied_bytes = timer_.copied_bytes();
}

void LadderRun::add(const std::string& name, const std::string& title, const std::string& change,
                    std::uint64_t n, std::uint64_t bytes, const GpuTime& time, std::size_t over,
                    std::uint64_t partials) {
    std::vector<LadderRow>& rows = report_.tables.back().rows;
    LadderRow row;
    row.row.name = name;
    row.row.median_ns = 1e3 * time.us;
    row.row.min_ns = 1e3 * time.min_us;
    row.row.noise = time.noise;
    row.row.elements = n;
    row.row.bytes = bytes;
    row.title = title;
    row.change = change;
    row.partials = partials;
    row.of_copy = bytes == 0 ? 0 : timer_.copy_us(bytes) / time.us;
    if (over != 0 && over <= rows.size())
        row.speedup = rows[rows.size() - over].row.median_ns / row.row.median_ns;
    rows.push_back(std::move(row));
}

void LadderRun::add_own_reduce(const std::string& stem, ElementType type, cuda::ReduceKind kind,
                               std::initializer_list<Statistic> statistics, std::uint64_t n,
                               const Rotation& x, const std::string& change) {
    const cuda::ReduceShape shape = cuda::choose_reduce_shape(cuda::reduce_workload(type, kind, 1, n),
                                                              context().policies.reduce, context().limits);
    Rotation partials(shape.closing.partials * cuda::kReducePartialBytes, 0, 1);
    partials.zero(shape.closing.partials * cuda::kReducePartialBytes);
    const Rotation columns(std::uint64_t{16} * cuda::kReduceColumns, 0, 1);
    const std::uint64_t rest_bytes = cuda::kReducePartialBytes + 8 + 4 * shape.closing.tickets;
    Rotation rest(rest_bytes, 0, 1);  // the totals, the word for overflow, tickets
    rest.zero(rest_bytes);
    char* const overflow = as<char>(rest[0]) + cuda::kReducePartialBytes;
    const cuda::ReduceWork work{partials[0], reinterpret_cast<std::uint32_t*>(overflow + 8), rest[0],
                                reinterpret_cast<std::uint64_t*>(overflow)};
    cuda::ReduceTarget target{};
    target.n = n;
    for (const Statistic statistic : statistics) {
        const auto column = static_cast<unsigned>(statistic);
        target.column[column] = as<char>(columns[0]) + 16 * column;
    }
    const GpuTime time = timer_.time([&](std::size_t turn) {
        require_cuda(cuda::launch_reduce({type, kind, {x[turn], 1, n, n, n, n}, target, work, shape},
                                         {0, 1, 0, shape.groups}, context().stream),
                     "reduce");
    });
    add(stem + "tegu", "tegu's reduce", change, n, n * element_bytes(type), time, 1,
        kind == cuda::ReduceKind::Sum ? 1 : 0);
}

Result<LadderReport> run_ladder(const LadderSettings& settings) {
    const std::string why_not = no_gpu_reason();
    if (!why_not.empty()) return make_error(Status::Unavailable, "no GPU: " + why_not);
    LadderRun run(settings);
    for (Result<void> (*const part)(LadderRun&) : {run_sums, run_extremes, run_largest, run_additions}) {
        Result<void> done = part(run);
        if (!done) return std::move(done).error();
    }
    return run.take();
}

}  // namespace tegu::bench
