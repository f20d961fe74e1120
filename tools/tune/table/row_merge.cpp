// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/table/row_merge.h"

#include <algorithm>
#include <array>

namespace tegu::tune {
namespace {

bool has_same_policy(const TuningRow& a, const TuningRow& b) {
    return std::equal(a.policy.begin(), a.policy.end(), b.policy.begin(), b.policy.end(),
                      [](const TuningValue& x, const TuningValue& y) {
                          return x.name == y.name && x.number == y.number && x.word == y.word;
                      });
}

bool is_same_kind(const TuningClass& a, const TuningClass& b) {
    return a.backend == b.backend && a.operation == b.operation && a.width == b.width && a.type == b.type &&
           a.variant == b.variant;
}

using Ranges = std::array<TuningRange TuningClass::*, 4>;
constexpr Ranges kRanges = {&TuningClass::sequences, &TuningClass::elements, &TuningClass::detail,
                            &TuningClass::levels};

// The union of both ranges; nullopt if they do not touch.
bool join(const TuningRange& a, const TuningRange& b, TuningRange* joined) {
    if (a.end != b.begin && b.end != a.begin) return false;
    *joined = {std::min(a.begin, b.begin), std::max(a.end, b.end)};
    return true;
}

// Makes `a` hold the jobs of both, if their ranges differ in one only.
bool join(TuningClass& a, const TuningClass& b) {
    if (!is_same_kind(a, b)) return false;
    TuningRange TuningClass::*differs = nullptr;
    for (TuningRange TuningClass::*const range : kRanges) {
        if (a.*range == b.*range) continue;
        if (differs != nullptr) return false;
        differs = range;
    }
    return differs != nullptr && join(a.*differs, b.*differs, &(a.*differs));
}

double share_of(const TuningEvidence& evidence) {
    return evidence.default_us > 0 ? evidence.time_us / evidence.default_us : 1;
}

bool join(TuningRow& a, const TuningRow& b) {
    if (a.revision != b.revision || a.evidence.provenance != b.evidence.provenance || !has_same_policy(a, b))
        return false;
    if (!join(a.jobs, b.jobs)) return false;
    if (share_of(b.evidence) > share_of(a.evidence)) a.evidence = b.evidence;
    return true;
}

// One pair; false: there is none.
bool merge_one(std::vector<TuningRow>& rows) {
    for (std::size_t a = 0; a < rows.size(); ++a)
        for (std::size_t b = a + 1; b < rows.size(); ++b)
            if (join(rows[a], rows[b])) {
                rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(b));
                return true;
            }
    return false;
}

}  // namespace

std::vector<TuningRow> merge_rows(std::vector<TuningRow> rows) {
    while (merge_one(rows)) {
    }
    return rows;
}

}  // namespace tegu::tune
