// SPDX-License-Identifier: Apache-2.0
// Prints how many GPUs probe_devices() finds, and why there are none.
#include <cstdio>

#include "kernels/device/device_info.h"

int main() {
    const tegu::device::DeviceList list = tegu::device::probe_devices();
    std::printf("%zu %s\n", list.devices.size(), list.reason.c_str());
    return 0;
}
