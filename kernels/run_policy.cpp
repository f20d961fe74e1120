// SPDX-License-Identifier: Apache-2.0
#include "kernels/run_policy.h"

namespace tegu::kernels {

std::string_view RunPolicy::find(std::string_view key) const {
    for (const Field& field : fields_)
        if (field.key == key) return field.value;
    return {};
}

std::string RunPolicy::text() const {
    std::string text;
    text.reserve(96);  // usually enough
    append_to(text);
    return text;
}

void RunPolicy::append_to(std::string& text) const {
    const std::size_t begin = text.size();
    for (const Field& field : fields_) {
        if (text.size() > begin) text += ' ';
        if (field.shows_key) text.append(field.key).append(1, '=');
        text += field.value;
    }
}

}  // namespace tegu::kernels
