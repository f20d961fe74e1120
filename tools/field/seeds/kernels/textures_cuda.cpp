// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include <string>

#include "kernels/execution/cuda/context.h"
#include "tools/field/seeds/kernels/textures.h"

namespace tegu::seeds {
namespace {

Result<std::uint64_t> attribute(cudaDeviceAttr which) {
    int device = 0, value = 0;
    Result<void> asked = cuda::check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    if (asked)
        asked = cuda::check_cuda(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
    if (!asked) return std::move(asked).error();
    return static_cast<std::uint64_t>(value);
}

// Ok if the device allows `size`.
Result<void> within(std::uint64_t size, cudaDeviceAttr which, const char* what) {
    const Result<std::uint64_t> max = attribute(which);
    if (!max) return max.error();
    if (size <= *max) return {};
    return make_error(Status::Unsupported, std::string("a texture with ") + what + " " +
                                               std::to_string(size) + "; the device allows " +
                                               std::to_string(*max));
}

// Ok if textures may begin there.
Result<void> aligned(const void* memory) {
    const Result<std::uint64_t> bytes = attribute(cudaDevAttrTextureAlignment);
    if (!bytes) return bytes.error();
    if (reinterpret_cast<std::uint64_t>(memory) % *bytes == 0) return {};
    return make_error(Status::Unsupported,
                      "a texture has to begin at a multiple of " + std::to_string(*bytes) + " bytes");
}

Result<cudaTextureObject_t> create(const cudaResourceDesc& resource) {
    cudaTextureDesc how{};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModePoint;
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t object = 0;
    Result<void> created = cuda::check_cuda(cudaCreateTextureObject(&object, &resource, &how, nullptr),
                                            "cudaCreateTextureObject");
    if (!created) return std::move(created).error();
    return object;
}

}  // namespace

struct Texture::State {
    explicit State(cudaTextureObject_t made) : object(made) {}
    ~State() { (void)cudaDestroyTextureObject(object); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    cudaTextureObject_t object;
};

Texture::Texture(std::unique_ptr<State> state) : state_(std::move(state)) {}
Texture::~Texture() = default;
Texture::Texture(Texture&&) noexcept = default;
Texture& Texture::operator=(Texture&&) noexcept = default;

Result<Texture> Texture::of_numbers(const double* numbers, unsigned count) {
    Result<void> fits = within(count, cudaDevAttrMaxTexture1DLinearWidth, "entries:");
    if (fits) fits = aligned(numbers);
    if (!fits) return std::move(fits).error();
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<double*>(numbers);
    resource.res.linear.desc = cudaCreateChannelDesc(32, 32, 0, 0, cudaChannelFormatKindSigned);
    resource.res.linear.sizeInBytes = count * sizeof(double);
    const Result<cudaTextureObject_t> object = create(resource);
    if (!object) return object.error();
    return Texture(std::make_unique<State>(*object));
}

Result<Texture> Texture::of_image(const float* pixels, std::uint32_t rows, std::uint32_t cols,
                                  std::uint64_t row_stride) {
    Result<void> fits = within(rows, cudaDevAttrMaxTexture2DLinearHeight, "rows:");
    if (fits) fits = within(cols, cudaDevAttrMaxTexture2DLinearWidth, "columns:");
    if (fits) fits = within(row_stride * sizeof(float), cudaDevAttrMaxTexture2DLinearPitch, "bytes per row:");
    if (fits) fits = aligned(pixels);
    if (!fits) return std::move(fits).error();
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = const_cast<float*>(pixels);
    resource.res.pitch2D.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    resource.res.pitch2D.width = cols;
    resource.res.pitch2D.height = rows;
    resource.res.pitch2D.pitchInBytes = row_stride * sizeof(float);
    const Result<cudaTextureObject_t> object = create(resource);
    if (!object) return object.error();
    return Texture(std::make_unique<State>(*object));
}

TextureHandle Texture::handle() const {
    return state_->object;
}

}  // namespace tegu::seeds
