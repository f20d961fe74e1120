// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/kernels/cuda/test_device.h"
#include "tests/kernels/digests/inputs.h"
#include "tests/simt/simt.h"

namespace tegu::cuda {

Result<void> check_cuda(LaunchStatus status, const char* call) {
    if (status == 0) return {};
    return make_error(Status::DeviceLost, call);
}

}  // namespace tegu::cuda

namespace tegu::test {
namespace {

// Every piece is an allocation of its exact size, full of garbage.
class HostWorkspace final : public cuda::Workspace {
  public:
    Result<void*> take(std::size_t bytes) override {
        pieces_.emplace_back(new std::byte[bytes]);
        std::memset(pieces_.back().get(), 0xa5, bytes);
        return static_cast<void*>(pieces_.back().get());
    }
    Result<void*> take_zeroed(std::size_t bytes) override {
        Result<void*> taken = take(bytes);
        std::memset(*taken, 0, bytes);
        return taken;
    }
    // Kept from job to job; left for the next one as the last one left them.
    Result<void*> take_counters(std::size_t bytes) override {
        if (!counters_are_zero_ || counters_.size() < bytes) counters_.assign(bytes, std::byte{0});
        if (std::any_of(counters_.begin(), counters_.end(),
                        [](std::byte byte) { return byte != std::byte{0}; })) {
            std::fprintf(stderr, "counters were not left zero\n");
            std::abort();
        }
        counters_are_zero_ = false;
        return static_cast<void*>(counters_.data());
    }
    void counters_are_left_zero() override { counters_are_zero_ = true; }
    Result<void*> take_shown(std::size_t bytes) override { return take(bytes); }
    Result<void> read(void* to, const void* from, std::size_t bytes) override {
        return copy(to, from, bytes);
    }
    Result<void> write(void* to, const void* from, std::size_t bytes) override {
        return copy(to, from, bytes);
    }
    Result<void> copy(void* to, const void* from, std::size_t bytes) override {
        std::memcpy(to, from, bytes);
        return {};
    }
    Result<void> synchronize() override { return {}; }
    void reset() override { pieces_.clear(); }

  private:
    std::vector<std::unique_ptr<std::byte[]>> pieces_;
    std::vector<std::byte> counters_;
    bool counters_are_zero_ = false;
};

}  // namespace

DeviceBytes::DeviceBytes(std::size_t bytes) : data_(new std::byte[bytes]), bytes_(bytes) {
    std::memset(data_, 0x5a, bytes);
}
DeviceBytes::DeviceBytes(const std::vector<std::byte>& content) : DeviceBytes(content.size()) {
    if (bytes_ != 0) std::memcpy(data_, content.data(), bytes_);
}
DeviceBytes::~DeviceBytes() {
    delete[] data_;
}
std::vector<std::byte> DeviceBytes::download() const {
    return std::vector<std::byte>(data_, data_ + bytes_);
}

struct SharedBytes::State {
    std::vector<std::byte> bytes;
    testing_support::SplitMix random{1};
};
SharedBytes::SharedBytes(SharedKind, std::size_t bytes, std::byte fill) : state_(new State) {
    state_->bytes.assign(bytes, fill);
}
SharedBytes::~SharedBytes() {
    stop();
}
std::byte* SharedBytes::data() const {
    return state_->bytes.data();
}
void SharedBytes::start(std::size_t begin, std::size_t end) {
    simt::on_every_step([state = state_.get(), begin, end] {
        const std::uint64_t word = state->random.next(), kind = state->random.next() % 4;
        if (begin == end) return;
        // Random bytes, the limits of types, and zeros.
        const std::uint64_t bits = kind == 0   ? 0
                                   : kind == 1 ? ~std::uint64_t{0}
                                   : kind == 2 ? 0x7f800000ff800000u
                                               : word;
        const std::size_t at = begin + state->random.next() % (end - begin);
        std::memcpy(state->bytes.data() + at, &bits, std::min<std::size_t>(8, end - at));
    });
}
void SharedBytes::stop() {
    simt::on_every_step(nullptr);
}
std::vector<std::byte> SharedBytes::download() const {
    return state_->bytes;
}
bool has_kind(SharedKind kind) {
    return kind == SharedKind::Device;
}

const cuda::Context* test_context(const char**) {
    static HostWorkspace workspace;
    static const cuda::Context context{
        nullptr, cuda::DeviceLimits{53, 2, 512, 48 << 10, 256 << 10}, {}, &workspace};
    return &context;
}

std::uint64_t largest_test_elements() {
    return 70000;
}
std::size_t take_most_shared_bytes() {
    const std::size_t most = simt::counts().shared_bytes;
    simt::reset_counts();
    return most;
}
void set_thread_order(std::uint64_t seed) {
    simt::set_seed(seed);
}

}  // namespace tegu::test
