// SPDX-License-Identifier: Apache-2.0
#include "base/status.h"

namespace tegu {
namespace {

constexpr StatusInfo kStatuses[] = {
#define TEGU_X(number, Name, WORD, retry, exit_code, sentence) \
    {Status::Name, #WORD, retry, exit_code, sentence},
    TEGU_STATUSES(TEGU_X)
#undef TEGU_X
};

}  // namespace

bool is_status(std::uint16_t number) {
    return number < sizeof kStatuses / sizeof kStatuses[0];
}

const StatusInfo& status_info(Status status) {
    const auto number = static_cast<std::uint16_t>(status);
    return kStatuses[is_status(number) ? number : static_cast<std::uint16_t>(Status::Internal)];
}

}  // namespace tegu
