// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/jobs/work.h"

#include <algorithm>

namespace tegu::tune {
namespace {

bool is_wanted(const WorkWish& wish, std::string_view stem) {
    return wish.operations.empty() ||
           std::find(wish.operations.begin(), wish.operations.end(), stem) != wish.operations.end();
}

template <class T>
void move_to(std::vector<T>& list, std::vector<T> more) {
    std::move(more.begin(), more.end(), std::back_inserter(list));
}

template <class T>
void sort_by_rank(std::vector<T>& list) {
    std::stable_sort(list.begin(), list.end(), [](const T& a, const T& b) { return a.rank < b.rank; });
}

}  // namespace

Work::Work(const WorkWish& wish, const std::vector<ClassLimits>& limits) {
    for (std::size_t b = 0; b < wish.backends.size(); ++b)
        for (const OperationInfo& info : operation_infos()) {
            if (!is_wanted(wish, info.stem)) continue;
            if (wish.tune) move_to(classes_, tune_classes(wish.backends[b], info.stem, limits[b]));
            if (wish.costs) move_to(costs_, cost_classes(wish.backends[b], info.stem, limits[b]));
        }
    sort_by_rank(classes_);
    sort_by_rank(costs_);
    for (const TuneClass& one : classes_)
        steps_.push_back({one.jobs.backend, step_id(one.jobs.backend, one.id), &one, nullptr});
    for (const CostClass& one : costs_)
        steps_.push_back({one.jobs.backend, step_id(one.jobs.backend, one.id), nullptr, &one});
}

std::string step_id(TuningBackend backend, const std::string& id) {
    return (backend == TuningBackend::Cuda ? "cuda/" : "cpu/") + id;
}

}  // namespace tegu::tune
