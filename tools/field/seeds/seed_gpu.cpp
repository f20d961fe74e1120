// SPDX-License-Identifier: Apache-2.0
#include "tools/field/seeds/seed_gpu.h"

namespace tegu::field {

constexpr std::uint64_t kPiece = 1 << 20;  // values that are compared at a time

Result<void> describe_kernel(GpuLab& lab, const cuda::KernelEntry& entry, Case& one) {
    const Result<KernelFacts> facts = lab.kernel_facts(entry.function, entry.threads, entry.shared_bytes);
    if (!facts && facts.error().status != Status::Unsupported) return facts.error();
    if (facts) one.kernel = *facts;
    Result<std::string> note = resource_note(entry);
    if (!note) return std::move(note).error();
    if (!note->empty()) one.note += (one.note.empty() ? "" : "; ") + *note;
    return {};
}

unsigned resident_blocks(const GpuLab& lab, const Case& one, unsigned threads) {
    const cuda::DeviceLimits& limits = lab.limits();
    const double share = one.kernel.occupancy.value_or(1.0);
    const auto of_multiprocessor =
        static_cast<unsigned>(std::lround(share * limits.threads_per_multiprocessor / threads));
    return std::max(1u, of_multiprocessor * limits.multiprocessors);
}

Result<void> expect_values(GpuLab& lab, const DeviceArray& found, const float* expected, std::uint64_t count,
                           double tolerance, const std::string& where) {
    std::vector<float> piece(std::min(kPiece, count));
    for (std::uint64_t begin = 0; begin < count; begin += piece.size()) {
        const std::uint64_t size = std::min<std::uint64_t>(piece.size(), count - begin);
        Result<void> done =
            lab.gpu().copy(piece.data(), found.as<float>() + begin, size * sizeof(float), lab.stream());
        if (done) done = lab.synchronize();
        if (!done) return done;
        for (std::uint64_t i = 0; i < size; ++i)
            if (!(std::fabs(static_cast<double>(piece[i]) - static_cast<double>(expected[begin + i])) <=
                  tolerance))
                return make_error(Status::Internal, where + ": element " + std::to_string(begin + i) +
                                                        " is " + std::to_string(piece[i]) + ", not " +
                                                        std::to_string(expected[begin + i]));
    }
    return {};
}

bool DeviceArrays::take(std::uint64_t bytes) {
    if (error_) return false;
    if (bytes <= left_)
        left_ -= bytes;
    else
        error_ = make_error(Status::OutOfMemory, "it would take " + std::to_string((bytes - left_) >> 20) +
                                                     " MiB more of the GPU's memory than one case may have");
    return !error_;
}

DeviceArray DeviceArrays::make(std::uint64_t bytes) {
    if (!take(bytes)) return {};
    Result<DeviceArray> array = DeviceArray::create(lab_, bytes);
    if (array) return std::move(*array);
    error_ = array.error();
    return {};
}

DeviceInputs DeviceArrays::inputs(const void* content, std::uint64_t bytes, std::uint64_t limit_bytes) {
    if (!take(bytes)) return {};
    Result<DeviceInputs> made = DeviceInputs::create(lab_, content, bytes, limit_bytes);
    if (!made) {
        error_ = made.error();
        return {};
    }
    left_ -= std::min(left_, (made->count() - 1) * bytes);
    return std::move(*made);
}

DeviceInputs DeviceArrays::copies(const void* content, std::uint64_t bytes, std::uint64_t shares) {
    return inputs(content, bytes, left_ / shares);
}

DeviceInputs DeviceArrays::copy(const void* content, std::uint64_t bytes) {
    return inputs(content, bytes, 0);
}

Result<void> DeviceArrays::result() const {
    if (error_) return *error_;
    return {};
}

}  // namespace tegu::field
