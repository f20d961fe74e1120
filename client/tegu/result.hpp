// SPDX-License-Identifier: Apache-2.0
// Result: the owner of a job's result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#if defined(__has_include) && __has_include("client/tegu.h")
#include "client/tegu/array.hpp"
#else
#include <tegu/array.hpp>
#endif

namespace tegu {
namespace client {

// Owner of a result. An empty one (moved from) may only be destroyed or assigned to.
class Result {
  public:
    Result() = default;
    // Takes ownership.
    explicit Result(tegu_result* result) : result_(result) {}
    Result(Result&& other) noexcept : result_(std::exchange(other.result_, nullptr)) {}
    Result& operator=(Result&& other) noexcept {
        std::swap(result_, other.result_);
        return *this;
    }
    ~Result() { tegu_result_free(result_); }

    std::size_t count() const { return tegu_result_count(result_); }
    Array array(std::size_t index) const { return view(tegu_result_array(result_, index)); }
    std::optional<Array> find(std::uint8_t role) const {
        tegu_array found;
        if (tegu_result_find(result_, role, &found) == 0) return std::nullopt;
        return view(found);
    }
    // The first element of a role's array.
    std::optional<double> number(std::uint8_t role) const {
        const std::optional<Array> found = find(role);
        if (!found || found->size() == 0) return std::nullopt;
        return found->number(0);
    }
    int backend() const { return tegu_result_backend(result_); }
    const char* policy() const { return tegu_result_policy(result_); }
    tegu_timing timing() const { return tegu_result_timing(result_); }
    const tegu_result* get() const { return result_; }

  private:
    static Array view(const tegu_array& array) {
        return Array{array.role, array.type, array.rows, array.cols, array.data};
    }
    tegu_result* result_ = nullptr;
};

}  // namespace client
}  // namespace tegu
