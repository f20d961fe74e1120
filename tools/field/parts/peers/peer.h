// SPDX-License-Identifier: Apache-2.0
// Times of CUB, the toolkit's library, for jobs of an operation: <operation>.cpp of this folder. Built only
// with CUDA; a toolkit without CUB has no cases.
#pragma once

#include "tools/field/jobs.h"
#include "tools/field/operation_peers.h"
#include "tools/field/parts/parts.h"

namespace tegu::field {

// Device memory of a peer: inputs in turn, its work space, and what it writes.
struct PeerMemory {
    DeviceInputs inputs;
    DeviceArray space, order, out, more;
};

struct Peer {
    PartContext& context;
    FieldJob job;  // what it does as well, by its description
    std::size_t space_bytes;
    std::shared_ptr<PeerMemory> memory = std::make_shared<PeerMemory>();

    std::uint64_t n() const { return job.elements(); }
};

// Null if the run does not want the operation. REQUIRES: it has a job of this name.
std::shared_ptr<Peer> peer_of(PartContext& context, const char* operation, const std::string& name);
// A case whose prepare() makes `inputs`, `space`, `out` and `more`.
Case described(const std::shared_ptr<Peer>& peer, const char* method, std::uint64_t out_bytes,
               std::uint64_t more_bytes);
Result<void> make(DeviceArray& array, GpuLab& lab, std::uint64_t bytes);

#define TEGU_X(stem) void add_##stem##_peers(PartContext& context, CaseList& cases);
TEGU_OPERATION_PEERS(TEGU_X)
#undef TEGU_X

}  // namespace tegu::field
