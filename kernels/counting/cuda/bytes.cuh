// SPDX-License-Identifier: Apache-2.0
// The Mapper of kernels/counting/cuda/columns.cuh whose keys are the values of bytes.
#pragma once

#include "kernels/counting/cuda/columns.cuh"

namespace tegu {
namespace cuda {

class ByteMapper {
  public:
    using Element = std::uint8_t;
    using Rule = std::uint32_t;  // unused
    TEGU_DEVICE ByteMapper(std::uint32_t, unsigned char*) {}
    TEGU_DEVICE std::uint32_t slots() const { return 256; }
    TEGU_DEVICE std::uint64_t table_bytes() const { return 0; }
    TEGU_DEVICE void fill_table(unsigned, unsigned) const {}
    TEGU_DEVICE void write_edges(double*, std::uint64_t, unsigned, unsigned) const {}
    TEGU_DEVICE std::uint32_t key(std::uint8_t x) const { return x; }

    class Fast {
      public:
        static constexpr unsigned kExtra = 0;
        TEGU_DEVICE Fast(const Rule&, std::uint32_t row_bytes, std::uint32_t column)
            : row_bytes_(row_bytes), column_(column) {}
        TEGU_DEVICE std::uint32_t offset(std::uint8_t x, bool*) const { return x * row_bytes_ + column_; }

      private:
        std::uint32_t row_bytes_, column_;
    };
};

}  // namespace cuda
}  // namespace tegu
