// SPDX-License-Identifier: Apache-2.0
// The ends of DLPack's tensors, with functions in place of Python's: who drops the object, and who does not.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "client/tegu.h"

namespace {

const char* capsule_name = nullptr;
void* capsule_pointer = nullptr;
int is_initialized = 1, locks = 0, dropped = 0;
void* last_dropped = nullptr;

const tegu_python kPython = {
    [] { return is_initialized; },
    [] { return ++locks; },
    [](int state) {
        EXPECT_EQ(state, locks);
        --locks;
    },
    [](void*, const char* name) { return std::strcmp(name, capsule_name) == 0 ? 1 : 0; },
    [](void*, const char* name) { return std::strcmp(name, capsule_name) == 0 ? capsule_pointer : nullptr; },
    [](void* object) {
        EXPECT_EQ(locks, 1) << "without the interpreter's lock";
        last_dropped = object;
        ++dropped;
    },
};

class Dlpack : public testing::Test {
  protected:
    Dlpack() {
        is_initialized = 1, locks = 0, dropped = 0, last_dropped = nullptr;
        plain_[6] = versioned_[1] = &object_;  // manager_ctx: behind the tensor, or behind the version
        tegu_dlpack_python(&kPython);
    }
    void destroy(const char* name, void* tensor) {
        capsule_name = name, capsule_pointer = tensor;
        tegu_dlpack_destroy(this);
    }
    int object_ = 0;
    void* plain_[8] = {};
    void* versioned_[10] = {};
};

TEST_F(Dlpack, ADeleterDropsTheObjectUnderTheLock) {
    tegu_dlpack_delete(plain_);
    EXPECT_EQ(last_dropped, &object_);
    last_dropped = nullptr;
    tegu_dlpack_delete_versioned(versioned_);
    EXPECT_EQ(last_dropped, &object_);
    EXPECT_EQ(dropped, 2);
    EXPECT_EQ(locks, 0);
}

TEST_F(Dlpack, ACapsuleThatNobodyTookDropsTheObject) {
    destroy("dltensor", plain_);
    destroy("dltensor_versioned", versioned_);
    EXPECT_EQ(dropped, 2);
}

TEST_F(Dlpack, ACapsuleThatWasTakenLeavesItToTheTaker) {
    destroy("used_dltensor", plain_);
    destroy("used_dltensor_versioned", versioned_);
    EXPECT_EQ(dropped, 0);
}

TEST_F(Dlpack, AnInterpreterThatHasEndedIsLeftAlone) {
    is_initialized = 0;
    tegu_dlpack_delete(plain_);
    EXPECT_EQ(dropped, 0);
    EXPECT_EQ(locks, 0);
}

}  // namespace
