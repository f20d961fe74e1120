// SPDX-License-Identifier: Apache-2.0
// DeviceTuning: which policies the jobs of one device get. Made once from all tables; immutable, so any
// thread may look up in it while another one is made. A lookup takes well below a microsecond, allocates
// nothing and never fails: without a row the default policies hold. Rows that may not be used are left out,
// each with its reason.
//
// Order of the lookup: the overlay; tables of this device (its name and number of multiprocessors); tables of
// its compute capability, those of the nearest number of multiprocessors first; the default. Within a table
// the first row that holds.
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

// What a table is matched with.
struct TuningMachine {
    bool has_gpu = false;
    std::string device_name;  // of the GPU, as its driver names it
    // as the device tree names it: "NVIDIA Jetson Orin Nano Developer Kit"; may be empty
    std::string board_name;
    cuda::DeviceLimits limits;  // of the GPU
    std::string cpu_name;       // may be empty
    unsigned cpu_threads = 0;   // of the machine
};

enum class TuningLevel : std::uint8_t { Overlay, Device, Capability, None };
std::string_view tuning_level_word(
    TuningLevel level);  // "overlay", "device", "compute capability", "other device"

// How well a table fits, Overlay aside. A name fits the driver's name, or the beginning of the board's. A
// table of another number of multiprocessors holds for the compute capability, if that number is at most
// twice as large or as small. Rows of the CPU hold with Device alone.
TuningLevel level_of(const TuningDevice& table, const TuningMachine& machine);

// What a row says for a job.
struct TuningChoice {
    const PolicySet* policies = nullptr;  // never null once chosen; lives as long as the DeviceTuning
    std::string_view row;                 // "nvidia-h200-132/reduce-f32-1e6", or "default"; likewise
};

// The choices for one job: of a fused one on the GPU, one for each part.
struct JobChoice {
    TuningChoice whole;
    std::array<TuningChoice, kMaxFusedParts> parts;
    std::size_t part_count = 0;

    bool is_default() const;  // no row holds, for no part
    // "row=default"; of a fused job whose parts differ
    // "row=reduce:default,entropy:nvidia-h200-132/entropy-u8-1e6".
    std::string row_text(const Job& job) const;
    // What cuda::Context takes; the pointers are the DeviceTuning's.
    cuda::JobPolicies cuda() const;
    // What kernels::CpuContext takes: of a fused job its own, with the methods of its parts.
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
    // Without tables: the defaults for all.
    DeviceTuning() = default;
    // `overlay`: null: there is none. Tables of other devices are left out without a word, but an overlay is
    // reported.
    DeviceTuning(const TuningMachine& machine, Span<const TuningTable> tables, const TuningTable* overlay);

    TuningChoice choose(TuningBackend backend, const JobClass& job) const;
    JobChoice choose(TuningBackend backend, const Job& job) const;

    // The names of the rows of an operation, in the order of the lookup; they live as long as this.
    std::vector<std::string_view> rows(TuningBackend backend, Operation operation) const;
    // The tables that fit, in the order of the lookup.
    const std::vector<TableUse>& tables() const { return tables_; }
    const std::vector<IgnoredRow>& ignored() const { return ignored_; }
    // Costs that may be used, in the order of the lookup.
    const std::vector<CostRow>& costs() const { return costs_; }

  private:
    // A row that is ready for comparison.
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
