// SPDX-License-Identifier: Apache-2.0
// KERNELS: a list that may need several messages. The texts of an entry follow its numbers.
#include "wire/bytes.h"
#include "wire/messages.h"

namespace tegu::wire {
namespace {

constexpr std::size_t kKernelsBytes = 16;
constexpr std::size_t kKernelBytes = 40;  // before the texts
static_assert(kKernelsBytes + kMaxErrorTextBytes +
                      kMaxKernelsListed * (kKernelBytes + 2 * kMaxKernelTextBytes) <=
                  kMaxBodyBytes,
              "the longest list fits a body");

std::string_view reason_of(const KernelsReply& message) {
    return cut_text(message.reason, kMaxErrorTextBytes);
}

}  // namespace

void encode(const KernelsRequest& message, ByteBuffer& out) {
    Writer writer(out, 8);
    writer.u32(message.first);
    writer.reserved(4);
}

Result<KernelsRequest> decode_kernels_request(Bytes body) {
    Reader reader(body);
    const KernelsRequest message{reader.u32()};
    reader.reserved(4);
    if (auto error = reader.finish()) return *std::move(error);
    return message;
}

void encode(const KernelsReply& message, ByteBuffer& out) {
    assert(message.kernels.size() <= kMaxKernelsListed);
    const std::string_view reason = reason_of(message);
    std::size_t bytes = kKernelsBytes + reason.size();
    for (const KernelInfo& kernel : message.kernels)
        bytes += kKernelBytes + kernel.name.size() + kernel.moves.size();
    Writer writer(out, bytes);
    writer.u32(message.total);
    writer.u32(message.threads_per_multiprocessor);
    writer.u16(static_cast<std::uint16_t>(message.kernels.size()));
    writer.u16(static_cast<std::uint16_t>(reason.size()));
    writer.reserved(4);
    writer.text(reason);
    for (const KernelInfo& kernel : message.kernels) {
        assert(!kernel.name.empty() && kernel.name.size() <= kMaxKernelTextBytes);
        assert(kernel.moves.size() <= kMaxKernelTextBytes);
        writer.u32(kernel.registers);
        writer.u32(kernel.threads);
        writer.u32(kernel.max_threads);
        writer.u32(kernel.blocks_per_multiprocessor);
        writer.u32(kernel.static_shared_bytes);
        writer.u32(kernel.dynamic_shared_bytes);
        writer.u32(kernel.local_bytes);
        writer.u32(kernel.constant_bytes);
        writer.u32(kernel.architecture);
        writer.u8(static_cast<std::uint8_t>(kernel.name.size()));
        writer.u8(static_cast<std::uint8_t>(kernel.moves.size()));
        writer.reserved(2);
        writer.text(kernel.name);
        writer.text(kernel.moves);
    }
}

namespace {

KernelInfo read_kernel(Reader& reader) {
    KernelInfo kernel;
    kernel.registers = reader.u32();
    kernel.threads = reader.u32();
    kernel.max_threads = reader.u32();
    kernel.blocks_per_multiprocessor = reader.u32();
    kernel.static_shared_bytes = reader.u32();
    kernel.dynamic_shared_bytes = reader.u32();
    kernel.local_bytes = reader.u32();
    kernel.constant_bytes = reader.u32();
    kernel.architecture = reader.u32();
    const std::size_t name_bytes = reader.u8(), moves_bytes = reader.u8();
    reader.reserved(2);
    kernel.name = reader.text(name_bytes);
    kernel.moves = reader.text(moves_bytes);
    if (kernel.name.empty()) reader.fail(Status::BadRequest, "name_bytes", "1..255", "a kernel has no name");
    return kernel;
}

}  // namespace

Result<KernelsReply> decode_kernels_reply(Bytes body) {
    Reader reader(body);
    KernelsReply message;
    message.total = reader.u32();
    message.threads_per_multiprocessor = reader.u32();
    const std::size_t count =
        reader.list_count(kMaxKernelsListed, "at most 128", "there are too many kernels");
    const std::size_t reason_bytes = reader.u16();
    reader.reserved(4);
    if (reason_bytes > kMaxErrorTextBytes)
        reader.fail(Status::TooLarge, "reason_bytes", "at most 512", "the reason is too long");
    message.reason = reader.text(reason_bytes);
    reader.list(count, read_kernel, message.kernels);
    if (auto error = reader.finish()) return *std::move(error);
    return message;
}

}  // namespace tegu::wire
