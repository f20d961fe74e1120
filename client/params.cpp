// SPDX-License-Identifier: Apache-2.0
#include "client/params.h"

#include <algorithm>

#include "client/store_params.h"

namespace tegu::clientlib {
namespace {

// Checks a list of the caller: at most `max` elements, and not null if it has any.
Result<void> check_list(const void* list, std::uint32_t count, std::uint32_t max, const char* field) {
    if (count > max)
        return bad_range(field, "1.." + std::to_string(max),
                         "a list of " + std::to_string(count) + " is too long for a message");
    if (count != 0 && list == nullptr)
        return field_error(Status::BadRequest, field, "a list",
                           "the list is NULL, its count " + std::to_string(count));
    return {};
}

// `Wanted`: JobParams or FusedPart. `reserved`: the name of bytes that must be zero. Empty: the operation is
// none of Wanted.
template <class Wanted>
std::optional<Result<Wanted>> load(std::uint16_t operation, const tegu_params& raw, const char* reserved);

Result<void> load_list(const void* list, std::uint32_t count, std::vector<double>& numbers) {
    const auto* const first = static_cast<const double*>(list);
    if (count != 0) numbers.assign(first, first + count);
    return {};
}

Result<FusedPart> load_part(const tegu_part& raw) {
    if (!all_zero(raw.reserved, sizeof raw.reserved)) return reserved_error("parts.reserved");
    auto part = load<FusedPart>(raw.operation, raw.params, "parts.params.reserved");
    if (part) return std::move(*part);
    return field_error(Status::Unsupported, "parts", fused_part_words(),
                       "operation " + std::to_string(raw.operation) + " cannot be part of a fused job");
}

// Rejects a repeated part: with it the lists could exceed a message.
Result<void> load_list(const void* list, std::uint32_t count, std::vector<FusedPart>& parts) {
    const auto* const first = static_cast<const tegu_part*>(list);
    for (const tegu_part* raw = first; raw != first + count; ++raw) {
        Result<FusedPart> part = load_part(*raw);
        if (!part) return std::move(part).error();
        for (const FusedPart& other : parts)
            if (other.index() == part->index())
                return field_error(Status::BadRequest, "parts", "each operation at most once",
                                   std::string(find_operation(raw->operation)->stem) + " is a part twice");
        parts.push_back(std::move(*part));
    }
    return {};
}

template <class Params>
struct LoadFixed {
    void operator()(const Flag<Params>& flag, std::size_t offset) {
        params.*flag.member = get<std::uint8_t>(offset) != 0;
    }
    template <class T>
    void operator()(const Number<Params, T>& number, std::size_t offset) {
        params.*number.member = get<T>(offset);
    }
    template <class Enumeration>
    void operator()(const Choice<Params, Enumeration>& choice, std::size_t offset) {
        params.*choice.member = static_cast<Enumeration>(get<std::uint8_t>(offset));
    }
    void operator()(const Set<Params>& set, std::size_t offset) {
        params.*set.member = get<std::uint32_t>(offset);
    }
    void operator()(const Edge<Params>& edge, std::size_t offset) {
        params.*edge.member = get<double>(offset);
    }
    template <class T>
    void operator()(const List<Params, T>&, std::size_t offset) {
        count = get<std::uint32_t>(offset);
    }
    template <class T>
    T get(std::size_t offset) const {
        T value;
        std::memcpy(&value, fixed + offset, sizeof value);
        return value;
    }

    Params& params;
    const unsigned char* fixed;
    std::uint32_t count = 0;  // of the list
};

// Bytes of the union that the parameters do not use must be zero: else a newer caller uses a feature that
// this library lacks.
template <class Params>
bool only(const unsigned char* bytes) {
    const std::size_t begin = fixed_offset<Params>();
    std::size_t end = begin;
    bool zero = true;
    for_each_offset<Params>([&](const auto& parameter, std::size_t offset) {
        zero = zero && all_zero(bytes + end, begin + offset - end);
        end = begin + offset + width_of(parameter);
    });
    return zero && all_zero(bytes + end, sizeof(tegu_params) - end);
}

template <class Params>
Result<void> load_into(Params& params, const tegu_params& raw, const char* reserved) {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&raw);
    if (!only<Params>(bytes)) return reserved_error(reserved);
    LoadFixed<Params> fixed{params, bytes + fixed_offset<Params>()};
    for_each_offset<Params>(fixed);
    Result<void> loaded;
    for_each_list<Params>([&](const auto& list) {
        const void* elements;
        std::memcpy(&elements, bytes, sizeof elements);
        loaded = check_list(elements, fixed.count, list.max, list.name);
        if (loaded) loaded = load_list(elements, fixed.count, params.*list.member);
    });
    return loaded;
}

template <class Wanted>
std::optional<Result<Wanted>> load(std::uint16_t operation, const tegu_params& raw, const char* reserved) {
    std::optional<Result<Wanted>> loaded;
    visit_operation<Wanted>(operation, [&](auto params) {
        Result<void> read = load_into(params, raw, reserved);
        if (read)
            loaded = Wanted(std::move(params));
        else
            loaded = std::move(read).error();
    });
    return loaded;
}

}  // namespace

bool all_zero(const void* data, std::size_t bytes) {
    const auto* first = static_cast<const unsigned char*>(data);
    return std::all_of(first, first + bytes, [](unsigned char byte) { return byte == 0; });
}

Error reserved_error(const char* field) {
    return field_error(Status::Unsupported, field, "0",
                       "a reserved byte is not zero: a field that this library does not know");
}

Result<JobParams> params_of(std::uint16_t operation, const tegu_params& params) {
    auto loaded = load<JobParams>(operation, params, "params.reserved");
    if (loaded) return std::move(*loaded);
    return field_error(Status::Unsupported, "operation", "an operation of tegu.h",
                       "operation " + std::to_string(operation) + " is not known");
}

}  // namespace tegu::clientlib
