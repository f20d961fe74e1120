// SPDX-License-Identifier: Apache-2.0
// The instruction set of the CPU kernels. The kernels in cpu/ are compiled once per set into `namespace
// tegu::kernels::<isa>`; TEGU_ISA_SELECT picks the best variant for this machine. Results do not depend on
// it.
#pragma once

namespace tegu::kernels {

enum class CpuIsa { Scalar, Sse2, Avx2, Avx512, Neon };

// Detected once. The environment variable TEGU_CPU_ISA (sse2, avx2, avx512) can lower it; other values are
// ignored.
CpuIsa detected_cpu_isa();

#if defined(__x86_64__) && !defined(TEGU_SCALAR)
// Selects a variant of a function: TEGU_ISA_SELECT(reduce_tiles) is, for example, a pointer to
// avx2::reduce_tiles.
#define TEGU_ISA_SELECT(function)                                                               \
    (::tegu::kernels::detected_cpu_isa() == ::tegu::kernels::CpuIsa::Avx512 ? &avx512::function \
     : ::tegu::kernels::detected_cpu_isa() == ::tegu::kernels::CpuIsa::Avx2 ? &avx2::function   \
                                                                            : &sse2::function)
// Declares a function in the namespace of every set: TEGU_ISA_DECLARE(void f(int);)
#define TEGU_ISA_DECLARE(declaration) \
    namespace sse2 {                  \
    declaration                       \
    }                                 \
    namespace avx2 {                  \
    declaration                       \
    }                                 \
    namespace avx512 {                \
    declaration                       \
    }
#elif defined(__aarch64__)
#define TEGU_ISA_SELECT(function) (&neon::function)
#define TEGU_ISA_DECLARE(declaration) \
    namespace neon {                  \
    declaration                       \
    }
#else
#define TEGU_ISA_SELECT(function) (&scalar::function)
#define TEGU_ISA_DECLARE(declaration) \
    namespace scalar {                \
    declaration                       \
    }
#endif

}  // namespace tegu::kernels
