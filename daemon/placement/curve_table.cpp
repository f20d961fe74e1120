// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/curve_table.h"

#include <algorithm>
#include <new>

namespace tegu::daemon {

const CorrectionCurve* CurveTable::find(std::uint64_t key) const {
    const auto found = curves_.find(key);
    return found == curves_.end() ? nullptr : &found->second->curve;
}

CorrectionCurve* CurveTable::find_or_add(std::uint64_t key) noexcept {
    auto found = curves_.find(key);
    if (found == curves_.end()) {
        if (curves_.size() >= max_) forget_oldest();
        try {
            found = curves_.emplace(key, std::make_unique<Entry>()).first;
        } catch (const std::bad_alloc&) {
            return nullptr;
        }
    }
    found->second->used = ++clock_;
    return &found->second->curve;
}

void CurveTable::forget_oldest() {
    const auto oldest = std::min_element(curves_.begin(), curves_.end(), [](const auto& a, const auto& b) {
        return a.second->used < b.second->used;
    });
    if (oldest != curves_.end()) curves_.erase(oldest);
}

}  // namespace tegu::daemon
