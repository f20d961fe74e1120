// SPDX-License-Identifier: Apache-2.0
#include "base/job.h"

#include <algorithm>
#include <string>

namespace tegu {

const StatisticInfo kStatisticInfos[kStatisticCount] = {
#define TEGU_X(number, Name, word, values, sentence) {Statistic::Name, #word, values, sentence},
    TEGU_STATISTICS(TEGU_X)
#undef TEGU_X
};

const std::vector<OperationInfo>& operation_infos() {
    static const std::vector<OperationInfo> infos = {
#define TEGU_X(number, Name, stem, inputs, sentence) {Operation::Name, #stem, inputs, sentence},
        TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    };
    return infos;
}

const OperationInfo& info_of(Operation operation) {
    return *find_operation(static_cast<std::uint16_t>(operation));
}

const OperationInfo* find_operation(std::uint16_t number) {
    for (const OperationInfo& info : operation_infos())
        if (static_cast<std::uint16_t>(info.operation) == number) return &info;
    return nullptr;
}

const OperationInfo* find_operation(std::string_view stem) {
    for (const OperationInfo& info : operation_infos())
        if (info.stem == stem) return &info;
    return nullptr;
}

std::string operation_words() {
    std::string words;
    for (const OperationInfo& info : operation_infos())
        words += (words.empty() ? "" : ", ") + std::string(info.stem);
    return words;
}

Operation operation_of(const Job& job) {
    return std::visit([](const auto& params) { return operation_of(params); }, job.params);
}
Operation operation_of(const FusedPart& part) {
    return std::visit([](const auto& params) { return operation_of(params); }, part);
}

template <class Params>
auto is_partial_of(const Params& params, int) -> decltype(params.partial) {
    return params.partial;
}
template <class Params>
bool is_partial_of(const Params&, long) {
    return false;
}
bool is_partial(const Job& job) {
    const auto* fused = std::get_if<FusedParams>(&job.params);
    const auto alone = [](const auto& params) { return is_partial_of(params, 0); };
    if (fused == nullptr) return std::visit(alone, job.params);
    return std::any_of(fused->parts.begin(), fused->parts.end(),
                       [&](const FusedPart& part) { return std::visit(alone, part); });
}

template <class Params>
auto halo_rows_of(const Params& params, ElementType type, int) -> decltype(params.halo_rows(type)) {
    return params.halo_rows(type);
}
template <class Params>
std::optional<std::uint64_t> halo_rows_of(const Params&, ElementType, long) {
    return std::nullopt;
}
std::optional<std::uint64_t> halo_rows(const Job& job) {
    return std::visit([&](const auto& params) { return halo_rows_of(params, job.type, 0); }, job.params);
}

const char* fused_part_words() {
    static const std::string text = [] {
        std::string words;
        for (const OperationInfo& info : operation_infos())
            if (visit_operation<FusedPart>(static_cast<std::uint16_t>(info.operation), [](const auto&) {}))
                words += (words.empty() ? "" : ", ") + std::string(info.stem);
        return words;
    }();
    return text.c_str();
}

bool is_array_role(std::uint8_t number) {
    return array_role_word(static_cast<ArrayRole>(number)) != "?";
}

std::string_view array_role_word(ArrayRole role) {
    const auto number = static_cast<std::uint8_t>(role);
    if (number >= 1 && number <= kStatisticCount) return kStatisticInfos[number - 1].word;
    switch (role) {
#define TEGU_X(number, Name, word, sentence) \
    case ArrayRole::Name: return #word;
        TEGU_ARRAY_ROLES(TEGU_X)
#undef TEGU_X
        default: return "?";
    }
}

}  // namespace tegu
