// SPDX-License-Identifier: Apache-2.0
// Selecting the best k of one sequence. Every method gives the same entries; they differ in how much they read and keep.
//   direct     ranks every element, sorts. Short rows, and k that is a large part of n.
//   blocks     one pass for the smallest rank of each block of elements; the answer lies in the k blocks with the best minima,
//              so only these are read again. Never reads more than 9/8 of the input, whatever the data.
// docs/topk.md has the measurements behind the choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/result.h"
#include "kernels/cpu/topk_scan.h"
#include "kernels/cpu/topk_team.h"

namespace tegu::kernels::topk {

// Elements in rows that may have gaps between them, read as one sequence.
struct Sequence {
    const std::byte* data = nullptr;
    std::uint64_t rows = 1;
    std::uint64_t cols = 0;
    std::uint64_t stride = 0;  // elements, >= cols
    unsigned bytes = 1;        // of an element

    std::uint64_t size() const { return rows * cols; }
    bool dense() const { return rows <= 1 || stride == cols; }
};

struct Question {
    std::uint64_t n = 0;
    std::uint64_t k = 0;  // 1..n
    bool distinct = false;
    ElementType type = ElementType::U8;
    std::uint64_t flip = 0;  // rank::flip_of
};

enum class MethodKind { Direct, Blocks };

// How a question is answered, and the working memory that it takes.
struct Method {
    MethodKind kind = MethodKind::Direct;
    std::uint64_t block = 0;  // elements of a block
    std::uint64_t blocks = 0;
    std::uint64_t entries = 0;  // room for candidates
    bool wide = false;          // Entry128
    std::uint64_t bytes = 0;    // in all, for one selection with any number of threads
};

Method choose_method(const Question& question);

// The working memory of one selection after another, reused for rows of one shape.
struct Workspace {
    std::unique_ptr<std::byte[]> memory;

    // Errors: OutOfMemory.
    static Result<Workspace> create(const Method& method);
};

// Receives the result in place: entry i of `count` by rank and index.
struct Selection {
    const void* entries = nullptr;  // Entry64 or Entry128, in the workspace
    std::uint64_t count = 0;        // < k only with `distinct`, or if the elements changed meanwhile
    unsigned shift = 0;
    bool wide = false;

    std::uint64_t rank(std::uint64_t i) const;
    std::uint64_t index(std::uint64_t i) const;
};

// Errors: Cancelled, DeadlineExceeded.
// REQUIRES: method == choose_method(question), workspace made for it, sequence.size() == question.n.
Result<Selection> select(const Sequence& sequence, const Question& question, const Method& method, Workspace& workspace,
                         const Team& team);

}  // namespace tegu::kernels::topk
