// SPDX-License-Identifier: Apache-2.0
// The ends of tensors that Python gave to others: the functions tegu_dlpack_* of tegu.h. They are C, because
// code of Python does not run right while an exception is pending.
#include <cstdint>

#include "client/tegu.h"

namespace {

// Of DLPack. Its layout is fixed for all versions of the same major number.
struct Tensor {
    void* data;
    std::int32_t device_type, device_id, ndim;
    std::uint8_t code, bits;
    std::uint16_t lanes;
    std::int64_t *shape, *strides;
    std::uint64_t byte_offset;
};
struct Managed {
    Tensor tensor;
    void* context;
    void (*deleter)(Managed*);
};
struct ManagedVersioned {
    std::uint32_t major, minor;
    void* context;
    void (*deleter)(ManagedVersioned*);
};

tegu_python python{};

// A daemon thread of an interpreter that has ended must not wait for its lock.
void drop(void* object) {
    if (python.Py_IsInitialized == nullptr || python.Py_IsInitialized() == 0) return;
    const int state = python.PyGILState_Ensure();
    python.Py_DecRef(object);
    python.PyGILState_Release(state);
}

}  // namespace

extern "C" {

void tegu_dlpack_python(const tegu_python* functions) {
    python = *functions;
}

void tegu_dlpack_delete(void* managed) {
    drop(static_cast<Managed*>(managed)->context);
}

void tegu_dlpack_delete_versioned(void* managed) {
    drop(static_cast<ManagedVersioned*>(managed)->context);
}

// Whoever takes the tensor gives the capsule another name.
void tegu_dlpack_destroy(void* capsule) {
    if (python.PyCapsule_IsValid(capsule, "dltensor") != 0)
        tegu_dlpack_delete(python.PyCapsule_GetPointer(capsule, "dltensor"));
    else if (python.PyCapsule_IsValid(capsule, "dltensor_versioned") != 0)
        tegu_dlpack_delete_versioned(python.PyCapsule_GetPointer(capsule, "dltensor_versioned"));
}

}  // extern "C"
