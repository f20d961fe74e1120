// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/job_bytes.h"

namespace tegu::daemon {
namespace {

// Whether the client promises that the content of an input stays. A copy then serves later jobs, too.
bool is_promised(const PreparedJob& prepared, std::size_t input) {
    return prepared.inputs[input].buffer.sealed || prepared.inputs[input].range.generation != 0;
}

bool copies(device::MemoryClass memory_class) {
    return memory_class == device::MemoryClass::A || memory_class == device::MemoryClass::Discrete;
}

}  // namespace

JobBytes job_bytes(const PreparedJob& prepared, device::MemoryClass memory_class, const BufferDevice* gpu) {
    JobBytes bytes;
    if (memory_class == device::MemoryClass::C) return bytes;
    // Class B also copies a result of the reply back from memory of the device.
    if (!copies(memory_class)) {
        if (!prepared.in_output()) bytes.alone = prepared.result_bytes;
        return bytes;
    }
    bytes.alone = prepared.result_bytes;
    bytes.staged = prepared.result_bytes;
    for (std::size_t i = 0; i < prepared.input_count; ++i) {
        const Buffer* const buffer = prepared.uses[i].buffer();
        const device::ClientRange& range = prepared.inputs[i].range;
        const bool is_output = prepared.inputs[i].is_output;
        const std::uint64_t size = is_output           ? array_bytes(prepared.plan.outputs.front())
                                   : buffer != nullptr ? range.end - range.begin
                                                       : 0;
        bytes.staged += size;
        if (is_output || buffer == nullptr || !is_promised(prepared, i)) {
            bytes.alone += size;
        } else if (gpu == nullptr || !buffer->has_copy(*gpu, range.generation)) {
            bytes.kept += size;
        }
    }
    return bytes;
}

Buffer* kept_buffer(const PreparedJob& prepared) {
    for (std::size_t i = 0; i < prepared.input_count; ++i)
        if (prepared.uses[i].buffer() != nullptr && is_promised(prepared, i))
            return prepared.uses[i].buffer();
    return nullptr;
}

}  // namespace tegu::daemon
