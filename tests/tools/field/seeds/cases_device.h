// SPDX-License-Identifier: Apache-2.0
// Where the cases of the seeds are tested: on fibers (cases_device_fibers.cpp) or on a GPU
// (cases_device_cuda.cpp).
#pragma once

#include "tools/field/part.h"

namespace tegu::field {

// Null, with the reason in the list, if there is no device; else the list names it.
std::unique_ptr<GpuLab> open_test_lab(device::DeviceList& devices);
// Memory of the device that was not freed, as far as it is known.
std::size_t test_allocations();

// Whether results can be made wrong on their way to the host; from now on they are, or are not.
bool can_corrupt();
void corrupt(bool yes);

}  // namespace tegu::field
