// SPDX-License-Identifier: Apache-2.0
// A build without CUDA.
#include "tools/field/parts/parts.h"

namespace tegu::field {

void add_peer_cases(PartContext&, CaseList&) {}

}  // namespace tegu::field
