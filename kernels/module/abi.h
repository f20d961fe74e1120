// SPDX-License-Identifier: Apache-2.0
// The border between tegud and a module, a shared object with the GPU backend. Both sides may come from
// different compilers and C++ libraries, so it is plain C: fixed-width integers, pointers and functions.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Version of this file. A change of any struct or function raises it.
#define TEGU_MODULE_ABI 2u
// The only symbol of a module: a tegu_module_entry.
#define TEGU_MODULE_SYMBOL "tegu_cuda_module"
#define TEGU_MODULE_DEVICES 64u  // a probe reports at most so many
#define TEGU_MODULE_PARTS 5u     // of a fused job

// The result of a call.
enum {
    TEGU_MODULE_DONE = 0,
    TEGU_MODULE_FAILED = 1,     // the error is filled in
    TEGU_MODULE_NO_MEMORY = 2,  // the host has no memory; the error is untouched
};

// The caller's memory. Texts end with a zero byte; longer ones are cut.
struct tegu_module_error {
    int32_t status;    // a number of base/status.h
    uint32_t has_row;  // 0 or 1
    uint64_t row;
    char message[1024];
    char field[128];
    char allowed[512];
};

// A device, filled in by probe() and given back to open(). Flags are 0 or 1.
struct tegu_module_device {
    int32_t ordinal;
    uint32_t compute_capability;  // 10 * major + minor
    uint32_t multiprocessors;
    uint32_t threads_per_multiprocessor;
    uint64_t shared_bytes_per_block;
    uint64_t l2_bytes;
    uint64_t memory_bytes;
    uint64_t core_clock_khz;    // 0: unknown
    uint64_t memory_clock_khz;  // 0: unknown
    uint32_t memory_class;      // a number of kernels/device/memory_class.h
    uint32_t integrated;
    uint32_t managed_memory;
    uint32_t concurrent_managed_access;
    uint32_t pageable_memory_access;
    uint32_t host_register_supported;
    uint32_t can_map_host_memory;
    uint32_t unused;
    char name[256];
    char unusable[512];  // the reason; empty: it can be used
};

// The resources of a kernel, as cuda::KernelResources.
struct tegu_module_kernel {
    const char* name;
    const char* moves;
    uint32_t registers;
    uint32_t threads;
    uint32_t max_threads;
    uint32_t blocks_per_multiprocessor;
    uint32_t static_shared_bytes;
    uint32_t dynamic_shared_bytes;
    uint32_t local_bytes;
    uint32_t constant_bytes;
    uint32_t architecture;
    uint32_t unused;
};

struct tegu_module_input {
    const void* data;
    uint64_t row_stride;  // elements
};

// A planned job with its arrays, at addresses that kernels of the stream may touch. The caller's memory; the
// module keeps nothing of it after the call.
struct tegu_module_job {
    uint32_t operation;  // a number of base/operations.h
    uint32_t type;       // a number of base/element_type.h
    uint32_t axis;       // 0: whole, 1: rows
    uint32_t input_count;
    uint32_t output_count;
    uint32_t unused;
    uint64_t rows;
    uint64_t cols;
    const uint64_t* words;  // the parameters, see kernels/module/job_words.h
    uint64_t word_count;
    const struct tegu_module_input* inputs;
    void* const* outputs;
    // cuda::Policies of this revision, a standard-layout struct; null: the defaults, or as the whole.
    const void* policies;
    const void* part_policies[TEGU_MODULE_PARTS];
    // Polled between launches: 0 goes on, 1 means cancelled, 2 that the deadline passed. Throws nothing.
    int32_t (*poll_stop)(void* stop);
    void* stop;
};

// One field of a run policy. The key lives as long as the module.
struct tegu_module_field {
    const char* key;
    const char* value;
    uint64_t value_bytes;
    uint32_t shows_key;  // 0 or 1
    uint32_t unused;
};

// The module's memory, valid until the next call or close() with the same handle.
struct tegu_module_report {
    const struct tegu_module_field* fields;
    uint64_t field_count;
    const uint64_t* filled_columns;
    uint64_t column_count;
    uint32_t threads;
    uint32_t unused;
};

struct tegu_module_gpu;  // an open device

// The functions do as those of kernels/device/gpu.h with the same names, with the same errors. One thread at
// a time uses a handle; each thread first calls use(). probe() and open() may run on any thread. No function
// throws. A handle is the module's, from open() to close(). Streams are opaque; addresses are of the process.
struct tegu_module {
    // These two come first in every version. All members from probe on are functions.
    uint32_t abi;          // TEGU_MODULE_ABI
    uint32_t table_bytes;  // sizeof(struct tegu_module)

    uint64_t revision;      // layout_revision(): of operations, policies and kernels
    const char* version;    // of tegu: "0.2.0"
    const char* toolkit;    // of CUDA: "13.0"
    const uint32_t* built;  // compute capabilities with machine code
    uint64_t built_count;

    // Fills in up to `capacity` devices. Without devices it fails: `*count` is 0, and error->message is the
    // reason.
    int32_t (*probe)(struct tegu_module_device* devices, uint32_t capacity, uint32_t* count,
                     struct tegu_module_error* error);
    int32_t (*open)(const struct tegu_module_device* device, uint64_t workspace_bytes,
                    struct tegu_module_gpu** gpu, struct tegu_module_error* error);
    void (*close)(struct tegu_module_gpu* gpu);
    int32_t (*use)(struct tegu_module_gpu* gpu, struct tegu_module_error* error);

    // `beside`: 0 or 1, a stream for short jobs beside those of another stream.
    int32_t (*create_stream)(struct tegu_module_gpu* gpu, uint32_t beside, void** stream,
                             struct tegu_module_error* error);
    void (*destroy_stream)(struct tegu_module_gpu* gpu, void* stream);
    int32_t (*synchronize)(struct tegu_module_gpu* gpu, void* stream, struct tegu_module_error* error);
    void (*trim)(struct tegu_module_gpu* gpu, void* stream);

    int32_t (*allocate_managed)(struct tegu_module_gpu* gpu, uint64_t bytes, void** memory,
                                struct tegu_module_error* error);
    void (*free_managed)(struct tegu_module_gpu* gpu, void* memory);
    int32_t (*attach_to_stream)(struct tegu_module_gpu* gpu, void* memory, void* stream,
                                struct tegu_module_error* error);
    int32_t (*attach_to_host)(struct tegu_module_gpu* gpu, void* memory, void* stream,
                              struct tegu_module_error* error);
    int32_t (*prefetch_to_device)(struct tegu_module_gpu* gpu, void* memory, uint64_t bytes, void* stream,
                                  struct tegu_module_error* error);
    int32_t (*prefetch_to_host)(struct tegu_module_gpu* gpu, void* memory, uint64_t bytes, void* stream,
                                struct tegu_module_error* error);
    int32_t (*allocate_pinned)(struct tegu_module_gpu* gpu, uint64_t bytes, void** memory,
                               struct tegu_module_error* error);
    void (*free_pinned)(struct tegu_module_gpu* gpu, void* memory);
    int32_t (*allocate_device)(struct tegu_module_gpu* gpu, uint64_t bytes, void** memory,
                               struct tegu_module_error* error);
    void (*free_device)(struct tegu_module_gpu* gpu, void* memory);
    int32_t (*copy)(struct tegu_module_gpu* gpu, void* to, const void* from, uint64_t bytes, void* stream,
                    struct tegu_module_error* error);
    int32_t (*register_mapping)(struct tegu_module_gpu* gpu, void* data, uint64_t bytes, uint32_t read_only,
                                void** address, struct tegu_module_error* error);
    void (*unregister_mapping)(struct tegu_module_gpu* gpu, void* data);

    uint64_t (*workspace_limit)(struct tegu_module_gpu* gpu);
    int32_t (*free_bytes)(struct tegu_module_gpu* gpu, uint64_t* bytes, struct tegu_module_error* error);
    // The list is the module's memory, valid until the next kernels() or close() with the same handle.
    int32_t (*kernels)(struct tegu_module_gpu* gpu, const struct tegu_module_kernel** list, uint64_t* count,
                       struct tegu_module_error* error);
    int32_t (*run)(struct tegu_module_gpu* gpu, const struct tegu_module_job* job, void* stream,
                   struct tegu_module_report* report, struct tegu_module_error* error);
    // `work` is called while run() waits for a stream; it throws nothing, and may call all functions with
    // this handle. Returns 0 if there was nothing to do. Null: no work.
    void (*set_meanwhile)(struct tegu_module_gpu* gpu, int32_t (*work)(void* with), void* with);
};

// Returns the table, which lives as long as the module. Null: the host has no memory.
typedef const struct tegu_module* (*tegu_module_entry)(void);

#ifdef __cplusplus
}
#endif
