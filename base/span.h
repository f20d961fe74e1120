// SPDX-License-Identifier: Apache-2.0
// Span: a non-owning view of contiguous elements, the subset of std::span that this project uses in C++17.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tegu {

template <class T>
class Span {
  public:
    constexpr Span() = default;
    constexpr Span(T* data, std::size_t size) : data_(data), size_(size) {}
    template <std::size_t N>
    constexpr Span(T (&array)[N]) : data_(array), size_(N) {}
    // From any container with data() and size(), and from Span<U> to Span<const U>.
    template <class C,
              class = std::enable_if_t<std::is_convertible<decltype(std::declval<C&>().data()), T*>::value>>
    constexpr Span(C&& container) : data_(container.data()), size_(container.size()) {}

    constexpr T* data() const { return data_; }
    constexpr std::size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr T* begin() const { return data_; }
    constexpr T* end() const { return data_ + size_; }
    constexpr T& operator[](std::size_t index) const {
        assert(index < size_);
        return data_[index];
    }
    // Elements [begin, begin + count). REQUIRES: begin + count <= size().
    constexpr Span subspan(std::size_t begin, std::size_t count) const {
        assert(begin <= size_ && count <= size_ - begin);
        return Span(data_ + begin, count);
    }
    constexpr Span subspan(std::size_t begin) const { return subspan(begin, size_ - begin); }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

using Bytes = Span<const std::byte>;
using MutableBytes = Span<std::byte>;

}  // namespace tegu
