// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/output/json.h"

#include "tools/tegu/output/text.h"

namespace tegu {
namespace cli {

void Json::element(const client::Array& array, std::uint64_t index) {
    float_literal(element_text(array, index));
}

}  // namespace cli
}  // namespace tegu
