// SPDX-License-Identifier: Apache-2.0
#include "tools/formats/array_header.h"

namespace tegu {
namespace formats {

Error truncated(const char* format, std::uint64_t announced, std::uint64_t held) {
    return bad_data("bytes", std::to_string(announced),
                    std::string(format) + ": truncated: the header announces " + std::to_string(announced) +
                        " bytes of elements, the file holds " + std::to_string(held));
}

}  // namespace formats
}  // namespace tegu
