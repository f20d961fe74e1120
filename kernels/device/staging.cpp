// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/staging.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

namespace tegu::device {
namespace {

constexpr std::uint64_t kStepBytes = 8 << 20;  // a few milliseconds on a Nano
// Up to this size, copying the gaps between pieces as well takes less time than copying each piece.
constexpr std::uint64_t kTogetherBytes = 64 << 10;

struct Range {
    std::uint64_t begin = UINT64_MAX, end = 0;
    std::uint64_t bytes() const { return end - begin; }
};

// Between two steps, other jobs may use the device.
void lend(const Gpu& gpu) {
    constexpr std::chrono::milliseconds kMax{2};
    const auto until = std::chrono::steady_clock::now() + kMax;
    while (std::chrono::steady_clock::now() < until && gpu.meanwhile()()) continue;
}

// The range of all non-empty pieces.
Range span_of(Span<const Staging::Piece> pieces) {
    Range range;
    for (const Staging::Piece& piece : pieces) {
        if (piece.bytes == 0) continue;
        range.begin = std::min(range.begin, piece.offset);
        range.end = std::max(range.end, piece.offset + piece.bytes);
    }
    return range;
}

}  // namespace

Result<Staging> Staging::create(Arena& arena, std::size_t bytes) {
    Staging staging;
    if (arena.kind() == Arena::Kind::Managed) {
        Result<UnifiedBuffer> made = UnifiedBuffer::create(arena, bytes);
        if (!made) return std::move(made).error();
        staging.unified_ = std::move(made).value();
    } else {
        Result<Block> made = arena.take(bytes);
        if (!made) return std::move(made).error();
        staging.block_ = std::move(made).value();
    }
    return staging;
}

Result<void> Staging::write(std::uint64_t offset, const std::byte* from, std::uint64_t bytes, Stream stream,
                            const kernels::StopToken& stop) {
    std::optional<UnifiedBuffer::HostView> view;
    if (unified_) {
        Result<void> back = unified_->detach();
        if (!back) return back;
        Result<UnifiedBuffer::HostView> taken = unified_->host_view();
        if (!taken) return std::move(taken).error();
        view.emplace(std::move(taken).value());
    }
    for (std::uint64_t done = 0; done < bytes; done += kStepBytes) {
        if (stop.stop_requested()) return stop.error();
        const auto step = static_cast<std::size_t>(std::min(kStepBytes, bytes - done));
        if (view) {
            std::memcpy(view->bytes().data() + offset + done, from + done, step);
            continue;
        }
        Result<void> copied = block_.arena()->gpu().copy(
            static_cast<std::byte*>(block_.data()) + offset + done, from + done, step, stream);
        if (!copied) return copied;
        if (done + step < bytes) lend(block_.arena()->gpu());
    }
    return {};
}

Result<std::byte*> Staging::give(Stream stream) {
    if (!unified_) return static_cast<std::byte*>(block_.data());
    Result<void> attached = unified_->attach(stream);
    if (!attached) return std::move(attached).error();
    Result<void*> data = unified_->device_data(stream);
    if (!data) return std::move(data).error();
    return static_cast<std::byte*>(*data);
}

Result<void> Staging::read(Span<const Piece> pieces, Stream stream) {
    if (unified_) {
        Result<void> back = unified_->detach();
        if (!back) return back;
        Result<UnifiedBuffer::HostView> view = unified_->host_view();
        if (!view) return std::move(view).error();
        for (const Piece& piece : pieces)
            if (piece.bytes > 0)
                std::memcpy(piece.to, view->bytes().data() + piece.offset,
                            static_cast<std::size_t>(piece.bytes));
        return {};
    }
    Gpu& gpu = block_.arena()->gpu();
    const auto* const data = static_cast<const std::byte*>(block_.data());
    const Range all = span_of(pieces);
    if (pieces.size() > 1 && all.begin < all.end && all.bytes() <= kTogetherBytes) {
        std::vector<std::byte> together(static_cast<std::size_t>(all.bytes()));
        Result<void> copied = gpu.copy(together.data(), data + all.begin, together.size(), stream);
        if (copied) copied = gpu.synchronize(stream);
        if (!copied) return copied;
        for (const Piece& piece : pieces)
            if (piece.bytes > 0)
                std::memcpy(piece.to, together.data() + (piece.offset - all.begin),
                            static_cast<std::size_t>(piece.bytes));
        return {};
    }
    for (const Piece& piece : pieces) {
        for (std::uint64_t done = 0; done < piece.bytes; done += kStepBytes) {
            const auto step = static_cast<std::size_t>(std::min(kStepBytes, piece.bytes - done));
            Result<void> copied = gpu.copy(piece.to + done, data + piece.offset + done, step, stream);
            if (!copied) return copied;
            if (done + step < piece.bytes) lend(gpu);
        }
    }
    return gpu.synchronize(stream);
}

}  // namespace tegu::device
