// SPDX-License-Identifier: Apache-2.0
// A job as plain structs. The wire encodes them, kernels execute them, and clients fill them in. operations.h
// lists the operations; operations/ describes their parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/element_type.h"
#include "base/operations.h"
#include "base/statistic.h"

namespace tegu {

enum class Operation : std::uint16_t {
#define TEGU_X(number, Name, stem, inputs, sentence) Name = number,
    TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
};

// Length of tables that are indexed by operation number; entry 0 is unused.
inline constexpr std::size_t kOperationSlots = 1
#define TEGU_X(number, Name, stem, inputs, sentence) +1
    TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    ;
#define TEGU_X(number, Name, stem, inputs, sentence) \
    static_assert(number < kOperationSlots, "one slot for each operation");
TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X

struct OperationInfo {
    Operation operation;
    std::string_view stem;
    int inputs;
    std::string_view sentence;
};
// The list, ordered by number.
const std::vector<OperationInfo>& operation_infos();
const OperationInfo& info_of(Operation operation);
// Null for an unknown number or stem.
const OperationInfo* find_operation(std::uint16_t number);
const OperationInfo* find_operation(std::string_view stem);
// "reduce, ...": all stems.
std::string operation_words();

namespace detail {
template <class, class... Params>
using VariantOf = std::variant<Params...>;
}  // namespace detail
#define TEGU_X(number, Name, stem, inputs, sentence) , Name##Params
using JobParams = detail::VariantOf<void TEGU_OPERATIONS(TEGU_X)>;
#undef TEGU_X

#define TEGU_X(number, Name, stem, inputs, sentence)        \
    constexpr Operation operation_of(const Name##Params&) { \
        return Operation::Name;                             \
    }
TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X

// Calls visit(Params()) for the operation `number`. False: its parameters are no alternative of Variant,
// which is JobParams or FusedPart.
template <class Variant, class Visit, std::size_t index = 0>
bool visit_operation(std::uint16_t number, Visit&& visit) {
    if constexpr (index == std::variant_size_v<Variant>) {
        return false;
    } else {
        std::variant_alternative_t<index, Variant> params;
        if (static_cast<std::uint16_t>(operation_of(params)) != number)
            return visit_operation<Variant, Visit, index + 1>(number, std::forward<Visit>(visit));
        visit(std::move(params));
        return true;
    }
}

enum class Axis : std::uint8_t {
    Whole = 0,  // one segment of rows x cols elements in row-major order
    Rows = 1,   // each row by itself
};

// A request without its data: operation, type and shape. The alternative in `params` selects the operation.
struct Job {
    ElementType type = ElementType::F32;
    Axis axis = Axis::Whole;  // some operations take Whole only
    std::uint64_t rows = 1;
    std::uint64_t cols = 0;  // elements of a row
    JobParams params;
};

Operation operation_of(const Job& job);
Operation operation_of(const FusedPart& part);
// Whether the job, or a part of it, gives a mergeable partial and not the result.
bool is_partial(const Job& job);
// Rows of an image above and below a row that its results depend on. nullopt: they depend on the whole image,
// or the input is no image.
std::optional<std::uint64_t> halo_rows(const Job& job);
// "reduce, ...": the operations that a fused job may contain.
const char* fused_part_words();

// The content of a result array. Each statistic has its own role (number + 1).
enum class ArrayRole : std::uint8_t {
#define TEGU_X(number, Name, word, sentence) Name = number,
    TEGU_ARRAY_ROLES(TEGU_X)
#undef TEGU_X
};
constexpr ArrayRole role_of(Statistic statistic) {
    return static_cast<ArrayRole>(static_cast<std::uint8_t>(statistic) + 1);
}
bool is_array_role(std::uint8_t number);
// "sum", "values", ...; "?" for an unknown number.
std::string_view array_role_word(ArrayRole role);

// One array of a result, dense and row-major: rows x cols elements of `type`.
struct ArraySpec {
    ArrayRole role;
    ElementType type;
    std::uint64_t rows;
    std::uint64_t cols;
};

// Bytes of the array. REQUIRES: the product fits 64 bits (plans and decoders check before they build a spec).
inline std::uint64_t array_bytes(const ArraySpec& spec) {
    return spec.rows * spec.cols * element_bytes(spec.type);
}

}  // namespace tegu
