// SPDX-License-Identifier: Apache-2.0
// Times of CUB, the toolkit's library, for jobs of an operation: <operation>.cpp of this folder. Built only
// with CUDA.
#pragma once

#include "kernels/execution/cuda/context.h"
#include "tools/field/jobs.h"
#include "tools/field/operation_peers.h"
#include "tools/field/parts/parts.h"

namespace tegu::field {

// Device memory of a peer: its inputs in turn, its work space, the numbers 0 to n - 1, and its results.
struct PeerMemory {
    DeviceInputs inputs;
    DeviceArray space, order, out, more;
};

struct PeerMethod {
    const char* name;
    std::size_t space_bytes;  // 0: the toolkit has no such method
    std::uint64_t out_bytes, more_bytes;
    std::function<cuda::LaunchStatus(const PeerMemory& memory, const void* x, cuda::Stream stream)> run;
    const char* note = "";
    const char* suffix = "";  // of the case's name
    bool has_order = false;   // it reads PeerMemory::order
};

// Adds a case for the job of this name, if the run wants its operation.
void add_peer(PartContext& context, CaseList& cases, const std::string& name,
              const std::function<PeerMethod(const FieldJob& job)>& method_of);

#define TEGU_X(stem) void add_##stem##_peers(PartContext& context, CaseList& cases);
TEGU_OPERATION_PEERS(TEGU_X)
#undef TEGU_X

}  // namespace tegu::field
