// SPDX-License-Identifier: Apache-2.0
// Textures of kernels that run as fibers: the memory itself.
#include "tools/field/seeds/kernels/textures.h"

namespace tegu::seeds {

struct Texture::State {
    HostTexture texture;
};

Texture::Texture(std::unique_ptr<State> state) : state_(std::move(state)) {}
Texture::~Texture() = default;
Texture::Texture(Texture&&) noexcept = default;
Texture& Texture::operator=(Texture&&) noexcept = default;

Result<Texture> Texture::of_numbers(const double* numbers, unsigned) {
    return Texture(std::make_unique<State>(State{HostTexture{numbers, 0}}));
}
Result<Texture> Texture::of_image(const float* pixels, std::uint32_t, std::uint32_t,
                                  std::uint64_t row_stride) {
    return Texture(std::make_unique<State>(State{HostTexture{pixels, row_stride}}));
}
TextureHandle Texture::handle() const {
    return texture_handle(state_->texture);
}

}  // namespace tegu::seeds
