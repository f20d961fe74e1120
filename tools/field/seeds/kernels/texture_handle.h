// SPDX-License-Identifier: Apache-2.0
// A texture as kernels take it: the value of a cudaTextureObject_t. On a host that runs kernels as fibers it
// is the address of a HostTexture. C++14.
#pragma once

#include <cstdint>

namespace tegu {
namespace seeds {

using TextureHandle = std::uint64_t;

struct HostTexture {
    const void* data;
    std::uint64_t row_stride;  // elements; of an image
};
inline TextureHandle texture_handle(const HostTexture& texture) {
    return reinterpret_cast<TextureHandle>(&texture);
}
inline const HostTexture& host_texture(TextureHandle handle) {
    return *reinterpret_cast<const HostTexture*>(handle);
}

}  // namespace seeds
}  // namespace tegu
