// SPDX-License-Identifier: Apache-2.0
#include "kernels/execution/cpu/isa.h"

#include <cstdlib>
#include <cstring>

#if defined(__x86_64__) && !defined(TEGU_SCALAR)
#include <cpuid.h>
#endif

#include "kernels/operation.h"

namespace tegu::kernels {
namespace {

#if defined(__x86_64__) && !defined(TEGU_SCALAR)
// Tests every extension that the avx2 objects are compiled for (cmake/TeguTargets.cmake): a hypervisor may
// mask any of them. f16c and lzcnt come from cpuid, because __builtin_cpu_supports() of g++ 8 lacks their
// names.
bool supports_avx2_objects() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    const bool f16c = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
    const bool lzcnt = __get_cpuid(0x80000001, &a, &b, &c, &d) != 0 && (c & bit_LZCNT) != 0;
    return f16c && lzcnt && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}
#endif

CpuIsa detect() {
#if defined(__x86_64__) && !defined(TEGU_SCALAR)
    CpuIsa best = CpuIsa::Sse2;
    __builtin_cpu_init();
    if (supports_avx2_objects()) {
        best = CpuIsa::Avx2;
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
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
