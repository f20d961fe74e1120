// SPDX-License-Identifier: Apache-2.0
// Staging: memory for transfers between the host and kernels, with one interface for both kinds of arena. The
// host fills and reads managed memory directly while it owns it. Device memory is filled and read by copies.
#pragma once

#include <optional>

#include "kernels/device/unified_buffer.h"

namespace tegu::device {

// Move-only. It ends before its arena and after the jobs that use it.
class Staging {
  public:
    Staging() = default;
    // The content is unspecified. Errors: those of Arena::take().
    static Result<Staging> create(Arena& arena, std::size_t bytes);
    explicit operator bool() const { return unified_.has_value() || block_; }
    std::size_t bytes() const {
        return unified_ ? unified_->block_bytes() : block_.bytes();
    }  // taken from the arena

    // Fills [offset, offset + bytes) from host memory, which must last until the stream is synchronised.
    // Polls the stop token every few milliseconds. Errors: those of the Gpu and of the token.
    Result<void> write(std::uint64_t offset, const std::byte* from, std::uint64_t bytes, Stream stream,
                       const kernels::StopToken& stop);
    // That the memory is attached to; null: to none, or it needs no attachment.
    Stream stream() const { return unified_ ? unified_->stream() : nullptr; }
    // Takes the memory back from its stream, which waits for that one.
    Result<void> take_back() { return unified_ ? unified_->detach() : Result<void>(); }
    // Attaches the memory to the stream if necessary; returns its address for kernels.
    Result<std::byte*> give(Stream stream);

    // Bytes [offset, offset + bytes) are copied to `to`.
    struct Piece {
        std::uint64_t offset;
        std::byte* to;
        std::uint64_t bytes;
    };
    // Waits for the stream and reads what its kernels wrote.
    Result<void> read(Span<const Piece> pieces, Stream stream);

  private:
    std::optional<UnifiedBuffer> unified_;
    Block block_;
};

}  // namespace tegu::device
