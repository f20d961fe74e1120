// SPDX-License-Identifier: Apache-2.0
// CurveTable: the correction curves of many classes of jobs, in bounded memory: where it is full, the class
// that was not used for longest is forgotten. Clients choose which classes there are, so nothing here grows
// with what they send. Io thread.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "daemon/placement/correction_curve.h"

namespace tegu::daemon {

class CurveTable {
  public:
    explicit CurveTable(std::size_t most) : most_(most) {}

    // Null: nothing is known of the class.
    const CorrectionCurve* find(std::uint64_t key) const;
    // Made if it is not there; null without memory for it.
    CorrectionCurve* find_or_add(std::uint64_t key) noexcept;
    std::size_t size() const { return curves_.size(); }
    void clear() { curves_.clear(); }

  private:
    struct Entry {
        std::uint64_t used = 0;
        CorrectionCurve curve;
    };
    void forget_oldest();

    std::size_t most_;
    std::uint64_t clock_ = 0;
    std::unordered_map<std::uint64_t, std::unique_ptr<Entry>> curves_;
};

}  // namespace tegu::daemon
