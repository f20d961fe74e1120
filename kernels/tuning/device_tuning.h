// SPDX-License-Identifier: Apache-2.0
// DeviceTuning: the policies of the jobs of one device. Built once from all tables, then immutable, so any
// thread may use it while another one is built. A lookup takes well below a microsecond, allocates nothing
// and never fails: without a row the default policies apply.
//
// Unusable rows are left out, each with its reason.
//
// Lookup order: the overlay; tables of this device (its name and number of multiprocessors); tables of its
// compute capability, nearest number of multiprocessors first; the default. Within a table the first matching
// row wins.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/span.h"
#include "base/tuning_row.h"
#include "kernels/tuning/job_class.h"
#include "kernels/tuning/policy_fields.h"

namespace tegu::tuning {

// The machine properties that tables are matched against.
struct TuningMachine {
    bool has_gpu = false;
    std::string device_name;  // of the GPU, as its driver names it
    // from the device tree: "NVIDIA Jetson Orin Nano Developer Kit"; may be empty
    std::string board_name;
    cuda::DeviceLimits limits;  // of the GPU
    std::string cpu_name;       // may be empty
    unsigned cpu_threads = 0;   // of the machine
};

enum class TuningLevel : std::uint8_t { Overlay, Device, Capability, None };
std::string_view tuning_level_word(
    TuningLevel level);  // "overlay", "device", "compute capability", "other device"

// The match level of a table, Overlay aside. A name matches the driver's name, or the beginning of the
// board's. A table for another number of multiprocessors matches by compute capability, if that number is at
// most twice as large or as small. Rows of the CPU apply at level Device only.
TuningLevel level_of(const TuningDevice& table, const TuningMachine& machine);

// The row chosen for a job.
struct TuningChoice {
    const PolicySet* policies = nullptr;  // never null once chosen; lives as long as the DeviceTuning
    std::string_view row;                 // "nvidia-h200-132/reduce-f32-1e6", or "default"; likewise
};

// The choices for one job; for a fused job on the GPU, one per part.
struct JobChoice {
    TuningChoice whole;
    std::array<TuningChoice, kMaxFusedParts> parts;
    std::size_t part_count = 0;

    bool is_default() const;  // no row holds, for no part
    // The name of the row, such as "default". For a fused job whose parts differ, of each:
    // "reduce:default,entropy:nvidia-h200-132/entropy-u8-1e6".
    std::string row_text(const Job& job) const;
    // The policies for cuda::Context; the DeviceTuning owns the memory behind the pointers.
    cuda::JobPolicies cuda() const;
    // The policies for kernels::CpuContext: for a fused job its own, with the methods of its parts.
    kernels::CpuPolicies cpu(const Job& job) const;
};

struct TableUse {
    std::string key;
    std::string path;
    TuningLevel level = TuningLevel::None;
    unsigned cuda_rows = 0, cpu_rows = 0, costs = 0;  // that are used
    unsigned ignored = 0;
};

class DeviceTuning {
  public:
    // Without tables: the default policies for all jobs.
    DeviceTuning() = default;
    // `overlay`: null: there is none. Tables of other devices are left out without a report, but an overlay
    // is reported.
    DeviceTuning(const TuningMachine& machine, Span<const TuningTable> tables, const TuningTable* overlay);

    TuningChoice choose(TuningBackend backend, const JobClass& job) const;
    JobChoice choose(TuningBackend backend, const Job& job) const;

    // The names of the rows of an operation, in lookup order; valid as long as this object.
    std::vector<std::string_view> rows(TuningBackend backend, Operation operation) const;
    // The matching tables, in lookup order.
    const std::vector<TableUse>& tables() const { return tables_; }
    const std::vector<IgnoredRow>& ignored() const { return ignored_; }
    // The usable costs, in lookup order.
    const std::vector<CostRow>& costs() const { return costs_; }

  private:
    // A row, prepared for comparison.
    struct Entry {
        TuningRange sequences, elements, detail, levels;
        unsigned width;     // 0: any
        unsigned type;      // number of an ElementType; 0: any
        unsigned variants;  // kAnyVariant: any
        PolicySet policies;
        std::string name;
    };
    static constexpr unsigned kAnyVariant = ~0u;

    void add(const TuningTable& table, TuningLevel level, const TuningMachine& machine);
    void add_row(const TuningTable& table, const TuningRow& row, const TuningMachine& machine, TableUse* use);
    void add_cost(const TuningTable& table, const CostRow& cost, TableUse* use);
    void ignore(const TuningTable& table, const std::string& row, const SourceLocation& where,
                std::string reason, TableUse* use);

    std::vector<Entry> entries_[2][kOperationSlots];  // by backend and operation
    std::vector<TableUse> tables_;
    std::vector<IgnoredRow> ignored_;
    std::vector<CostRow> costs_;
};

}  // namespace tegu::tuning
