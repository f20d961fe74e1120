// SPDX-License-Identifier: Apache-2.0
#include "base/ignored_rows.h"

namespace tegu {

void keep_ignored(IgnoredRow ignored, std::size_t count, std::vector<IgnoredRow>* list) {
    if (count <= kMaxIgnoredKept) list->push_back(std::move(ignored));
}

void end_ignored(std::size_t count, std::vector<IgnoredRow>* list) {
    if (count > kMaxIgnoredKept)
        list->back().reason +=
            "; " + std::to_string(count - kMaxIgnoredKept) + " more parts of this table are ignored";
}

}  // namespace tegu
