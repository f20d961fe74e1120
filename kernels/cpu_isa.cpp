// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu_isa.h"

#include <cstdlib>
#include <cstring>

#include "kernels/operation.h"

namespace tegu::kernels {
namespace {

CpuIsa detect() {
#if defined(__x86_64__)
    CpuIsa best = CpuIsa::Sse2;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
        best = CpuIsa::Avx2;
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl"))
            best = CpuIsa::Avx512;
    }
    const char* wish = std::getenv("TEGU_CPU_ISA");
    if (wish != nullptr && std::strcmp(wish, "sse2") == 0) return CpuIsa::Sse2;
    if (wish != nullptr && std::strcmp(wish, "avx2") == 0 && best == CpuIsa::Avx512) return CpuIsa::Avx2;
    return best;
#elif defined(__aarch64__)
    return CpuIsa::Neon;
#else
    return CpuIsa::Scalar;
#endif
}

}  // namespace

CpuIsa detected_cpu_isa() {
    static const CpuIsa isa = detect();
    return isa;
}

const char* cpu_isa() {
    switch (detected_cpu_isa()) {
        case CpuIsa::Sse2: return "sse2";
        case CpuIsa::Avx2: return "avx2";
        case CpuIsa::Avx512: return "avx512";
        case CpuIsa::Neon: return "neon";
        case CpuIsa::Scalar: break;
    }
    return "scalar";
}

}  // namespace tegu::kernels
