// SPDX-License-Identifier: Apache-2.0
// The jobs on which the choice between CPU and GPU is judged: every operation, several element types, rows,
// details, and sizes from 1e3 elements on.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "client/tegu.hpp"

namespace tegu::bench {

// A kind of job; with a size it is a case.
struct PlacementKind {
    std::string name;           // "topk/f32/k=1000"
    std::string operation;      // stem
    std::uint8_t type = 0;      // TEGU_F32, ...
    std::uint64_t columns = 0;  // of its rows; 0: one sequence; of an image: as many as rows
    bool is_image = false;
    unsigned inputs = 1;
    // Of the result: for each element, and for each sequence.
    unsigned element_bytes = 0, sequence_bytes = 8;
    std::uint64_t least = 0, most = 0;  // elements
    std::function<client::Request()> request;
};

// A job of so many elements, as near as its shape allows.
struct PlacementShape {
    std::uint64_t rows = 1, cols = 0;
    std::uint64_t elements() const { return rows * cols; }
};
PlacementShape shape_of(const PlacementKind& kind, std::uint64_t elements);
// Of an output buffer for the result, with room for gaps between its arrays; 0: it fits the reply.
std::uint64_t output_bytes(const PlacementKind& kind, std::uint64_t elements);

std::vector<PlacementKind> placement_kinds();
// In elements.
std::vector<std::uint64_t> placement_sizes();

}  // namespace tegu::bench
