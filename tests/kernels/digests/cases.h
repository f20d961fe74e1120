// SPDX-License-Identifier: Apache-2.0
// The jobs whose results every machine must reproduce: each operation with its parameters, for every type
// that it takes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/job.h"
#include "tests/kernels/digests/inputs.h"

namespace tegu::testing_support {

struct DigestCase {
    std::string name;  // "topk.k10.largest.rows.f32"
    ElementType type;
    Axis axis;
    std::function<JobParams(std::uint64_t n)> params;  // n: elements of a segment
};

// In the order of the operations' numbers.
std::vector<DigestCase> digest_cases();

// The shapes that a case runs with. Small ones see every content, large ones the first and the third.
const std::vector<DigestShape>& digest_shapes(Operation operation);
bool uses_content(const DigestShape& shape, Content content);

}  // namespace tegu::testing_support
