// SPDX-License-Identifier: Apache-2.0
// A build without CUDA.
#include "tools/bench/ladder/ladder_bench.h"

namespace tegu::bench {

Result<LadderReport> run_ladder(const LadderSettings&) {
    return make_error(Status::Unavailable, "no GPU: built without CUDA");
}

}  // namespace tegu::bench
