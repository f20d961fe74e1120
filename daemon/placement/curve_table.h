// SPDX-License-Identifier: Apache-2.0
// CurveTable: correction curves by class of jobs, in bounded memory. A full table evicts the least recently
// used class, because clients choose the classes. Io thread.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "daemon/placement/correction_curve.h"

namespace tegu::daemon {

class CurveTable {
  public:
    explicit CurveTable(std::size_t max) : max_(max) {}

    // Null if the class has no curve.
    const CorrectionCurve* find(std::uint64_t key) const;
    // Creates the curve if missing; null on out of memory.
    CorrectionCurve* find_or_add(std::uint64_t key) noexcept;
    std::size_t size() const { return curves_.size(); }
    void clear() { curves_.clear(); }

  private:
    struct Entry {
        std::uint64_t used = 0;
        CorrectionCurve curve;
    };
    void forget_oldest();

    std::size_t max_;
    std::uint64_t clock_ = 0;
    std::unordered_map<std::uint64_t, std::unique_ptr<Entry>> curves_;
};

}  // namespace tegu::daemon
