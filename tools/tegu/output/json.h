// SPDX-License-Identifier: Apache-2.0
// Reports as JSON: the project's writer, and additions for results.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/json.h"
#include "client/tegu.hpp"

namespace tegu {
namespace cli {

class Json : public tegu::Json {
  public:
    // What is JSON already.
    void json(std::string_view value) { literal(value); }
    // An element with the digits that its type needs. REQUIRES: index < array.size().
    void element(const client::Array& array, std::uint64_t index);
};

}  // namespace cli
}  // namespace tegu
