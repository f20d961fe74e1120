// SPDX-License-Identifier: Apache-2.0
// Dense, equally aligned arrays move in packs of 16 bytes. Other arrays move element by element, which still
// fills whole sectors.
#include "kernels/add/cuda/add.h"

#include <type_traits>

#include "kernels/execution/cuda/element.cuh"
#include "kernels/execution/cuda/grid.cuh"
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/words.cuh"

namespace tegu {
namespace cuda {
namespace {

// The sum of two elements. Sets `fits` to false for an integer sum that does not fit T.
template <class T>
struct Sum {
    TEGU_DEVICE static T of(T x, T y, bool* fits) {
        using Unsigned = typename UnsignedOf<sizeof(T)>::type;
        const Unsigned sum = static_cast<Unsigned>(static_cast<Unsigned>(x) + static_cast<Unsigned>(y));
        const T z = static_cast<T>(sum);
        const bool is_signed = static_cast<T>(-1) < static_cast<T>(1);
        // Signed overflow: both terms have the sign opposite to the sum's. Unsigned: the sum is below a term.
        *fits = is_signed ? ((x ^ z) & (y ^ z)) >= 0 : z >= x;
        return z;
    }
};
template <>
struct Sum<Half> {
    TEGU_DEVICE static Half of(Half x, Half y, bool*) { return Narrow<Half>::of(widen(x) + widen(y)); }
};
template <>
struct Sum<float> {
    TEGU_DEVICE static float of(float x, float y, bool*) { return Narrow<float>::of(x + y); }
};
template <>
struct Sum<double> {
    TEGU_DEVICE static double of(double x, double y, bool*) { return Narrow<double>::of(x + y); }
};

// The sum of two packs, and the index of the first element that does not fit; Width if all fit.
template <class T, unsigned Width>
struct PackSum {
    TEGU_DEVICE static unsigned of(const Pack<T, Width>& x, const Pack<T, Width>& y, Pack<T, Width>* z) {
        unsigned first = Width;
        TEGU_UNROLL
        for (unsigned e = Width; e-- > 0;) {
            bool fits = true;
            z->at[e] = Sum<T>::of(x.at[e], y.at[e], &fits);
            if (!fits) first = e;
        }
        return first;
    }
};

// Small integers, four or two in a word. The sums of all bits but the highest stay within their element, and
// the highest bit is added without carry.
template <class T, unsigned Width>
struct WordSum {
    TEGU_DEVICE static unsigned of(const Pack<T, Width>& x, const Pack<T, Width>& y, Pack<T, Width>* z) {
        constexpr std::uint32_t kHigh = sizeof(T) == 1 ? 0x80808080u : 0x80008000u;
        constexpr bool kSigned = static_cast<T>(-1) < static_cast<T>(1);
        constexpr unsigned kWords = Width * sizeof(T) / 4;
        std::uint32_t a[kWords], b[kWords], c[kWords];
        memcpy(a, &x, sizeof a);
        memcpy(b, &y, sizeof b);
        unsigned first = Width;
        TEGU_UNROLL
        for (unsigned w = kWords; w-- > 0;) {
            c[w] = ((a[w] & ~kHigh) + (b[w] & ~kHigh)) ^ ((a[w] ^ b[w]) & kHigh);
            const std::uint32_t over =
                kHigh & (kSigned ? (a[w] ^ c[w]) & (b[w] ^ c[w]) : (a[w] & b[w]) | ((a[w] | b[w]) & ~c[w]));
            if (over != 0) first = w * (4 / sizeof(T)) + trailing_zeros(over) / (8 * sizeof(T));
        }
        memcpy(z, c, sizeof c);
        return first;
    }
};
template <class T, unsigned Width>
using SumOfPacks =
    std::conditional_t<std::is_integral<T>::value && sizeof(T) <= 2, WordSum<T, Width>, PackSum<T, Width>>;

// add_packs: z = x + y, dense.
// in:    x, y [n] T, 16-byte aligned               out: z [n] T, 16-byte aligned; may be x or y
// grid:  x strides over packs of 16 bytes          block: up to policy.threads_per_block
// shared: none
// result valid in: z, and overflow (smallest index), after the launch
// moves: reads 2 n sizeof(T) B, writes n sizeof(T) B      order: any
// why:   Packs loads of each input are in flight before the first addition, which hides the latency of memory
template <class T, unsigned Packs>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads / kBlocksForRegisters) add_packs(AddArrays arrays) {
    const T* const x = static_cast<const T*>(arrays.x);
    const T* const y = static_cast<const T*>(arrays.y);
    T* const z = static_cast<T*>(arrays.z);
    std::uint64_t* const overflow = arrays.overflow;
    const std::uint64_t first_index = arrays.first;
    const std::uint64_t n = arrays.rows * arrays.cols;
    constexpr unsigned kWidth = 16 / sizeof(T);
    using Chunk = Pack<T, kWidth>;
    const std::uint64_t packs = n / kWidth;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    const std::uint64_t self = std::uint64_t{block_x()} * block_threads() + thread_index();
    const auto store = [=](std::uint64_t pack, const Chunk& a, const Chunk& b) {
        Chunk c;
        const unsigned first = SumOfPacks<T, kWidth>::of(a, b, &c);
        if (first != kWidth) atomic_min(overflow, first_index + pack * kWidth + first);
        reinterpret_cast<Chunk*>(z)[pack] = c;
    };
    std::uint64_t p = self;
    for (; p + (Packs - 1) * stride < packs; p += Packs * stride) {
        Chunk a[Packs];
        Chunk b[Packs];
        TEGU_UNROLL
        for (unsigned i = 0; i < Packs; ++i) {
            a[i] = reinterpret_cast<const Chunk*>(x)[p + i * stride];
            b[i] = reinterpret_cast<const Chunk*>(y)[p + i * stride];
        }
        TEGU_UNROLL
        for (unsigned i = 0; i < Packs; ++i) store(p + i * stride, a[i], b[i]);
    }
    for (; p < packs; p += stride)
        store(p, reinterpret_cast<const Chunk*>(x)[p], reinterpret_cast<const Chunk*>(y)[p]);
    // fewer than kWidth elements: the first threads take one each
    const std::uint64_t rest = packs * kWidth + self;
    if (rest < n) {
        bool fits = true;
        z[rest] = Sum<T>::of(x[rest], y[rest], &fits);
        if (!fits) atomic_min(overflow, first_index + rest);
    }
}

// add_elements: z = x + y, rows with gaps or at any address.
// in:    x, y [rows, cols] T with row strides      out: z [rows, cols] T, dense; may be x or y
// grid:  x strides over the elements               block: up to policy.threads_per_block
// shared: none
// result valid in: z, and overflow (smallest index), after the launch
// moves: reads 2 n sizeof(T) B, writes n sizeof(T) B, n = rows * cols      order: any
// why:   the general case; one division an element is hidden behind memory
template <class T>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads / kBlocksForRegisters) add_elements(AddArrays arrays) {
    const T* const x = static_cast<const T*>(arrays.x);
    const T* const y = static_cast<const T*>(arrays.y);
    const std::uint64_t n = arrays.rows * arrays.cols;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    for (std::uint64_t i = std::uint64_t{block_x()} * block_threads() + thread_index(); i < n; i += stride) {
        const std::uint64_t row = i / arrays.cols;
        const std::uint64_t col = i - row * arrays.cols;
        bool fits = true;
        static_cast<T*>(arrays.z)[i] =
            Sum<T>::of(x[row * arrays.x_row_stride + col], y[row * arrays.y_row_stride + col], &fits);
        if (!fits) atomic_min(arrays.overflow, arrays.first + i);
    }
}

constexpr const char* kMoves = "reads 2 elements and writes 1, n times";
#define TEGU_X(T, word)                                                       \
    numbered(add_packs<T, 1>, word, 1u), numbered(add_packs<T, 2>, word, 2u), \
        numbered(add_packs<T, 4>, word, 4u)
constexpr KernelTable<void (*)(AddArrays), 3 * kElementTypes> kAddPacks = {
    "add_packs", kMoves, {TEGU_INTEGERS(TEGU_X), TEGU_FLOATS(TEGU_X)}};
#undef TEGU_X
constexpr KernelTable<void (*)(AddArrays), kElementTypes> kAddElements = {
    "add_elements", kMoves, {TEGU_BY_INTEGER(add_elements), TEGU_BY_FLOAT(add_elements)}};

bool is_aligned(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) % 16 == 0;
}

}  // namespace

LaunchStatus launch_add(ElementType type, const AddArrays& arrays, const AddConfig& config) {
    const AddPolicy& policy = config.policy;
    const DeviceLimits& limits = config.limits;
    if (arrays.rows == 0 || arrays.cols == 0) return 0;
    const std::uint64_t n = arrays.rows * arrays.cols;
    const unsigned threads = block_threads_of(policy.threads_per_block, limits);
    const bool dense =
        arrays.rows == 1 || (arrays.x_row_stride == arrays.cols && arrays.y_row_stride == arrays.cols);
    if (!dense || !is_aligned(arrays.x) || !is_aligned(arrays.y) || !is_aligned(arrays.z)) {
        const unsigned blocks = blocks_for(n, threads, policy.waves, limits);
        return launch(kAddElements[element_index(type)], LaunchShape{blocks, 1, threads, 0}, config.stream,
                      arrays);
    }
    const unsigned packs = policy.packs_per_thread;
    const KernelVariant<void (*)(AddArrays)>& variant =
        kAddPacks.variants[3 * element_index(type) + (packs >= 4   ? 2
                                                      : packs >= 2 ? 1
                                                                   : 0)];
    const std::uint64_t items = n * element_bytes(type) / 16 / variant.numbers[0] + 1;
    return launch(variant.kernel,
                  LaunchShape{blocks_for(items, threads, policy.waves, limits), 1, threads, 0}, config.stream,
                  arrays);
}

void list_add_kernels(KernelLister& to) {
    const BlockSize block{kDefaultAddPolicy.threads_per_block, 0};
    to.add(kElementTypes, listed(kAddPacks, block), listed(kAddElements, block));
}

}  // namespace cuda
}  // namespace tegu
