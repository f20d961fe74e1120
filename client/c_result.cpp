// SPDX-License-Identifier: Apache-2.0
// The functions of tegu.h that read a result. They touch no client.
#include "client/result.h"
#include "client/tegu.h"

namespace {

tegu_array to_c(const tegu_result& result, const tegu::wire::ResultArray& array) {
    return tegu_array{static_cast<std::uint8_t>(array.spec.role), static_cast<std::uint8_t>(array.spec.type),
                      array.spec.rows, array.spec.cols,
                      result.base == nullptr ? nullptr : result.base + array.offset_bytes};
}

}  // namespace

extern "C" {

size_t tegu_result_count(const tegu_result* result) {
    return result->arrays.size();
}
tegu_array tegu_result_array(const tegu_result* result, size_t index) {
    return to_c(*result, result->arrays[index]);
}
int tegu_result_find(const tegu_result* result, uint8_t role, tegu_array* array) {
    for (const tegu::wire::ResultArray& one : result->arrays) {
        if (static_cast<std::uint8_t>(one.spec.role) != role) continue;
        *array = to_c(*result, one);
        return 1;
    }
    return 0;
}
int tegu_result_backend(const tegu_result* result) {
    return static_cast<int>(result->backend);
}
const char* tegu_result_policy(const tegu_result* result) {
    return result->policy;
}
tegu_timing tegu_result_timing(const tegu_result* result) {
    return result->timing;
}

}  // extern "C"
