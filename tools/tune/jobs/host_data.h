// SPDX-License-Identifier: Apache-2.0
// Input arrays of measured jobs in host memory. Jobs of one type share an array; a shorter job reads its
// front.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>

#include "kernels/execution/cpu/thread_pool.h"
#include "tools/tune/jobs/content.h"

namespace tegu::tune {

using HostArray = std::shared_ptr<const std::byte[]>;

class HostData {
  public:
    // `pool` outlives it. Unused arrays are kept up to this many bytes.
    HostData(kernels::ThreadPool& pool, std::uint64_t kept_bytes) : pool_(pool), kept_bytes_(kept_bytes) {}

    // At least n elements. `which`: 0 or 1, two different arrays of a kind.
    HostArray get(ElementType type, Content content, unsigned which, std::uint64_t n);

  private:
    struct Entry {
        ElementType type;
        Content content;
        unsigned which;
        std::uint64_t n;
        HostArray array;
        std::uint64_t bytes() const { return n * element_bytes(type); }
    };
    void drop_old(std::uint64_t more_bytes);

    kernels::ThreadPool& pool_;
    const std::uint64_t kept_bytes_;
    std::list<Entry> entries_;  // the one used last in front
};

}  // namespace tegu::tune
