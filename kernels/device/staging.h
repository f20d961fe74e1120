// SPDX-License-Identifier: Apache-2.0
// Staging: memory between the host and kernels, with the same words for both kinds of arena: managed memory,
// which the host fills and reads itself while it has it, and memory of the device, which is copied to and
// from.
#pragma once

#include <optional>

#include "kernels/device/unified_buffer.h"

namespace tegu::device {

// Move-only; ends before its arena, after the jobs that use it.
class Staging {
  public:
    Staging() = default;
    // Content unspecified. Errors: those of Arena::take().
    static Result<Staging> create(Arena& arena, std::size_t bytes);
    explicit operator bool() const { return unified_.has_value() || block_; }
    std::size_t bytes() const { return unified_ ? unified_->block_bytes() : block_.bytes(); }  // of the arena

    // Fills [offset, offset + bytes) from memory of the host, which has to last until the stream is
    // synchronised. Looks at the stop token every few milliseconds. Errors: those of the Gpu, and of the
    // token.
    Result<void> write(std::uint64_t offset, const std::byte* from, std::uint64_t bytes, Stream stream,
                       const kernels::StopToken& stop);
    // Hands it to the stream, if it does not have it; returns its address for kernels.
    Result<std::byte*> give(Stream stream);

    // Bytes [offset, offset + bytes) go to `to`.
    struct Piece {
        std::uint64_t offset;
        std::byte* to;
        std::uint64_t bytes;
    };
    // Reads what kernels of the stream wrote; waits for it.
    Result<void> read(Span<const Piece> pieces, Stream stream);

  private:
    std::optional<UnifiedBuffer> unified_;
    Block block_;
};

}  // namespace tegu::device
