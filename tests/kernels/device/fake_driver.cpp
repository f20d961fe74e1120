// SPDX-License-Identifier: Apache-2.0
// A libcuda.so.1 as far as the CUDA runtime asks it before it gives up: of the version $TEGU_FAKE_DRIVER,
// whose cuInit() returns $TEGU_FAKE_INIT. With it the answers to a driver that cannot be used are tested on
// any machine.
#include <cstdlib>
#include <cstring>

extern "C" {

int cuDriverGetVersion(int* version) {
    const char* const told = std::getenv("TEGU_FAKE_DRIVER");
    *version = told == nullptr ? 0 : std::atoi(told);
    return 0;
}

int cuInit(unsigned) {
    const char* const told = std::getenv("TEGU_FAKE_INIT");
    return told == nullptr ? 0 : std::atoi(told);
}

int cuGetProcAddress(const char* symbol, void** function, int, unsigned long long) {
    *function = nullptr;
    if (std::strcmp(symbol, "cuInit") == 0) *function = reinterpret_cast<void*>(&cuInit);
    if (std::strcmp(symbol, "cuDriverGetVersion") == 0)
        *function = reinterpret_cast<void*>(&cuDriverGetVersion);
    if (std::strcmp(symbol, "cuGetProcAddress") == 0) *function = reinterpret_cast<void*>(&cuGetProcAddress);
    return *function == nullptr ? 500 : 0;  // CUDA_ERROR_NOT_FOUND
}

}  // extern "C"
