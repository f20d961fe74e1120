// SPDX-License-Identifier: Apache-2.0
#include "tools/field/seeds/dot/vector.h"

#include <cmath>

#include "tools/field/seeds/kernels/device.cuh"

namespace tegu {
namespace seeds {
namespace {

using namespace cuda;

// Combines two values, and the neutral element.
struct Smaller {
    TEGU_DEVICE static float nothing() { return bit_cast<float>(0x7f800000u); }
    TEGU_DEVICE static float join(float a, float b) { return b < a ? b : a; }
};
struct Larger {
    TEGU_DEVICE static float nothing() { return bit_cast<float>(0xff800000u); }
    TEGU_DEVICE static float join(float a, float b) { return b > a ? b : a; }
};
struct Plus {
    TEGU_DEVICE static float nothing() { return 0; }
    TEGU_DEVICE static float join(float a, float b) { return a + b; }
};

// The value of element i.
struct Element {
    TEGU_DEVICE static float of(const VectorInput& input, std::uint64_t i) { return input.x[i]; }
};
struct Square {
    TEGU_DEVICE static float of(const VectorInput& input, std::uint64_t i) { return input.x[i] * input.x[i]; }
};
struct Product {
    TEGU_DEVICE static float of(const VectorInput& input, std::uint64_t i) { return input.x[i] * input.y[i]; }
};

// The last step, once all is joined.
enum class Finish : std::uint8_t { None, Divide, Root };
TEGU_DEVICE float finished(Finish finish, float value, std::uint64_t n) {
    if (finish == Finish::Divide) return value / static_cast<float>(n);
    return finish == Finish::Root ? sqrtf(value) : value;
}

// vector_block: each block joins its elements in registers, then in a tree.
// in:    input.x, input.y [input.n] f32         out: out [blocks] f32
// grid:  x strides over the elements            block: policy.threads, a power of two
// shared: 4 B per thread, dynamic, or 4096 B static      result valid in: out, after the launch
// moves: reads 4 or 8 B per element             order: fixed by threads and blocks
// why:   One block leaves all multiprocessors but one idle; many blocks need a second launch. Static memory
//        is that of the largest block: on devices with little of it fewer blocks are resident. finish: the
//        last step of the result, where this launch is the last; count: elements of the whole vector
template <class Join, class Value, SharedMemory Kind>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads)
    vector_block(VectorInput input, float* out, Finish finish, std::uint64_t count) {
    float* values;
    if (Kind == SharedMemory::Static) {
        TEGU_SHARED_ARRAY(float, static_values, kMaxThreads);
        values = static_values;
    } else {
        TEGU_DYNAMIC_SHARED(memory);
        values = reinterpret_cast<float*>(memory);
    }
    const unsigned t = thread_index();
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    float own = Join::nothing();
    for (std::uint64_t i = std::uint64_t{block_x()} * block_threads() + t; i < input.n; i += stride)
        own = Join::join(own, Value::of(input, i));
    values[t] = own;
    block_barrier();
    for (unsigned half = block_threads() / 2; half != 0; half /= 2) {
        if (t < half) values[t] = Join::join(values[t], values[t + half]);
        block_barrier();
    }
    if (t == 0) out[block_x()] = finished(finish, values[0], count);
}

using VectorKernel = void (*)(VectorInput, float*, Finish, std::uint64_t);

template <class Join, class Value>
VectorKernel kernel_for(SharedMemory kind) {
    return kind == SharedMemory::Static ? vector_block<Join, Value, SharedMemory::Static>
                                        : vector_block<Join, Value, SharedMemory::Dynamic>;
}

VectorKernel first_kernel(VectorStatistic statistic, SharedMemory kind) {
    switch (statistic) {
        case VectorStatistic::Min: return kernel_for<Smaller, Element>(kind);
        case VectorStatistic::Max: return kernel_for<Larger, Element>(kind);
        case VectorStatistic::Sum:
        case VectorStatistic::Mean: return kernel_for<Plus, Element>(kind);
        case VectorStatistic::Norm: return kernel_for<Plus, Square>(kind);
        case VectorStatistic::Dot: break;
    }
    return kernel_for<Plus, Product>(kind);
}
VectorKernel join_kernel(VectorStatistic statistic, SharedMemory kind) {
    const bool is_extreme = statistic == VectorStatistic::Min || statistic == VectorStatistic::Max;
    return first_kernel(is_extreme ? statistic : VectorStatistic::Sum, kind);
}

Finish finish_of(VectorStatistic statistic) {
    return statistic == VectorStatistic::Mean   ? Finish::Divide
           : statistic == VectorStatistic::Norm ? Finish::Root
                                                : Finish::None;
}

std::size_t shared_bytes_of(const VectorPolicy& policy) {
    return policy.shared == SharedMemory::Static ? 0 : policy.threads * sizeof(float);
}

constexpr const char* kWords[] = {
#define TEGU_X(Name, word) word,
    TEGU_VECTOR_STATISTICS(TEGU_X)
#undef TEGU_X
};
KernelEntry entry_of(const char* stem, VectorStatistic statistic, VectorKernel kernel,
                     const VectorPolicy& policy) {
    const char* const kind = policy.shared == SharedMemory::Static ? "static" : "dynamic";
    return kernel_entry(stem, {kWords[static_cast<unsigned>(statistic)], kind}, kernel, policy.threads,
                        shared_bytes_of(policy), "reads 4 or 8 B per element");
}

}  // namespace

LaunchStatus launch_vector_statistic(VectorStatistic statistic, const VectorInput& input, float* partials,
                                     float* out, const VectorPolicy& policy, Stream stream) {
    const LaunchShape many{policy.blocks, 1, policy.threads, shared_bytes_of(policy)};
    const VectorKernel kernel = first_kernel(statistic, policy.shared);
    const Finish finish = finish_of(statistic);
    if (policy.blocks == 1) return launch_seed(kernel, many, stream, input, out, finish, input.n);
    const LaunchStatus first = launch_seed(kernel, many, stream, input, partials, Finish::None, input.n);
    if (first != 0) return first;
    const LaunchShape one{1, 1, policy.threads, many.shared_bytes};
    const VectorInput left{partials, nullptr, policy.blocks};
    return launch_seed(join_kernel(statistic, policy.shared), one, stream, left, out, finish, input.n);
}

std::uint64_t vector_additions(std::uint64_t n, const VectorPolicy& policy) {
    const std::uint64_t threads = policy.threads;
    // its own, a tree, and the product or the last step
    std::uint64_t additions = n / (threads * policy.blocks) + 1 + 10 + 2;
    if (policy.blocks > 1) additions += policy.blocks / threads + 1 + 10;
    return additions;
}

KernelEntry vector_kernel(VectorStatistic statistic, const VectorPolicy& policy) {
    return entry_of("vector", statistic, first_kernel(statistic, policy.shared), policy);
}
KernelEntry vector_join_kernel(VectorStatistic statistic, const VectorPolicy& policy) {
    return entry_of("vector_join", statistic, join_kernel(statistic, policy.shared), policy);
}

}  // namespace seeds
}  // namespace tegu
