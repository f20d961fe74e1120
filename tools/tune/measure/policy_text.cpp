// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/measure/policy_text.h"

namespace tegu::tune {

std::string changes_text(const std::vector<TuningValue>& policy) {
    std::string text;
    for (const TuningValue& value : policy) {
        text += text.empty() ? "" : " ";
        text += value.name + "=" + (value.word.empty() ? std::to_string(value.number) : value.word);
    }
    return text.empty() ? "default" : text;
}

}  // namespace tegu::tune
