// SPDX-License-Identifier: Apache-2.0
// The functions of tegu.h that need no client: defaults of its structs, and the words of its numbers.
#include <algorithm>
#include <cstring>

#include "base/job.h"
#include "base/status.h"
#include "base/tree_nodes.h"
#include "client/store_params.h"
#include "client/tegu.h"

namespace {

using tegu::Status;

const tegu::StatusInfo& info_of(tegu_status status) {
    const bool known =
        status >= 0 && status <= UINT16_MAX && tegu::is_status(static_cast<std::uint16_t>(status));
    return tegu::status_info(known ? static_cast<Status>(status) : Status::Internal);
}

// REQUIRES: params is zero.
void set_defaults(std::uint16_t operation, tegu_params& params) {
    tegu::visit_operation<tegu::JobParams>(
        operation, [&](const auto& usual) { tegu::clientlib::store(usual, &params); });
}

}  // namespace

extern "C" {

void tegu_options_init(tegu_options* options, size_t size) {
    tegu_options defaults;
    std::memset(&defaults, 0, sizeof defaults);
    defaults.size = static_cast<std::uint32_t>(size);
    defaults.reconnect_ms = 10000;
    defaults.busy_retry = 1;
    defaults.server_uid = -1;
    defaults.spin_us = 50;
    std::memset(options, 0, size);
    std::memcpy(options, &defaults, std::min(size, sizeof defaults));
}

void tegu_request_init(tegu_request* request, size_t size, uint16_t operation) {
    tegu_request defaults;
    std::memset(&defaults, 0, sizeof defaults);
    defaults.size = static_cast<std::uint32_t>(size);
    defaults.operation = operation;
    defaults.rows = 1;
    defaults.priority = TEGU_PRIORITY_NORMAL;
    set_defaults(operation, defaults.params);
    std::memset(request, 0, size);
    std::memcpy(request, &defaults, std::min(size, sizeof defaults));
}

size_t tegu_piece_nodes(uint64_t offset, uint64_t n, int last, tegu_node* nodes, size_t capacity) {
    if (n > tegu::kMaxPieceElements) return 0;
    size_t count = 0;
    const auto place = static_cast<std::uint32_t>(offset);
    tegu::for_each_node(place, n, last != 0, [&](std::uint64_t begin, std::uint64_t elements) {
        if (count < capacity) nodes[count] = tegu_node{begin, elements};
        ++count;
    });
    return count;
}

void tegu_part_init(tegu_part* part, uint16_t operation) {
    std::memset(part, 0, sizeof *part);
    part->operation = operation;
    set_defaults(operation, part->params);
}

const char* tegu_version(void) {
    return TEGU_VERSION_TEXT;
}
// The words are literals, hence terminated.
const char* tegu_status_word(tegu_status status) {
    return info_of(status).word.data();
}
const char* tegu_status_sentence(tegu_status status) {
    return info_of(status).sentence.data();
}
int tegu_status_exit_code(tegu_status status) {
    return info_of(status).exit_code;
}
int tegu_status_retryable(tegu_status status) {
    return info_of(status).retryable ? 1 : 0;
}

const char* tegu_element_word(uint8_t type) {
    return tegu::is_element_type(type) ? tegu::element_word(static_cast<tegu::ElementType>(type)).data()
                                       : nullptr;
}
size_t tegu_element_bytes(uint8_t type) {
    return tegu::element_bytes(static_cast<tegu::ElementType>(type));
}
const char* tegu_role_word(uint8_t role) {
    return tegu::is_array_role(role) ? tegu::array_role_word(static_cast<tegu::ArrayRole>(role)).data()
                                     : nullptr;
}

}  // extern "C"
