// SPDX-License-Identifier: Apache-2.0
// Texture: a texture object over device memory. CUDA 13 has no texture references, so objects are the only
// form that every toolkit has.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "tools/field/seeds/kernels/texture_handle.h"

namespace tegu::seeds {

// Elements from one row of an image to the next, so that a texture can lie over it: rows begin at multiples
// of 512 bytes.
constexpr std::uint64_t texture_row_stride(std::uint64_t cols) {
    return (cols + 127) / 128 * 128;
}

class Texture {
  public:
    // Makes a texture of the current device, over memory that outlives it. Errors: Unsupported (too large),
    // Internal, DeviceLost.
    static Result<Texture> of_numbers(const double* numbers, unsigned count);
    // REQUIRES: row_stride is a texture_row_stride().
    static Result<Texture> of_image(const float* pixels, std::uint32_t rows, std::uint32_t cols,
                                    std::uint64_t row_stride);
    ~Texture();
    Texture(Texture&& other) noexcept;
    Texture& operator=(Texture&& other) noexcept;

    TextureHandle handle() const;

  private:
    struct State;
    explicit Texture(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace tegu::seeds
