// SPDX-License-Identifier: Apache-2.0
// A build without CUDA has no device to time.
#include "tools/tune/measure/stopwatch.h"

namespace tegu::tune {

Result<std::unique_ptr<Stopwatch>> make_stopwatch(device::Gpu&) {
    return make_error(Status::Unsupported, "this program was built without CUDA");
}

}  // namespace tegu::tune
