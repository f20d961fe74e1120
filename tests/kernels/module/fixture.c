// SPDX-License-Identifier: Apache-2.0
// Modules that cannot be used, one for each FIXTURE_...: an interface of another version (ABI), of another
// build (REVISION), a table with gaps (GAPS), none at all (NO_TABLE), and one whose driver is too old.
#include <stdlib.h>
#include <string.h>

#include "kernels/module/abi.h"

static struct tegu_module table;

static int32_t probe(struct tegu_module_device* devices, uint32_t capacity, uint32_t* count,
                     struct tegu_module_error* error) {
    (void)devices;
    (void)capacity;
    *count = 0;
    memset(error, 0, sizeof *error);
    error->status = 20;
    strcpy(error->message, "the NVIDIA driver is too old");
    return TEGU_MODULE_FAILED;
}

static void never_called(void) {
    abort();
}

#define NEVER(member) table.member = (__typeof__(table.member))never_called

const struct tegu_module* tegu_cuda_module(void);

__attribute__((visibility("default"))) const struct tegu_module* tegu_cuda_module(void) {
    const char* const revision = getenv("TEGU_TEST_REVISION");  // of the test's own build
    table.abi = TEGU_MODULE_ABI;
    table.table_bytes = sizeof table;
    table.revision = revision == NULL ? 0 : strtoull(revision, NULL, 10);
    table.version = "0.0.9";
    table.toolkit = "98.0";
    table.probe = probe;
    NEVER(open);
    NEVER(close);
    NEVER(use);
    NEVER(create_stream);
    NEVER(destroy_stream);
    NEVER(synchronize);
    NEVER(trim);
    NEVER(allocate_managed);
    NEVER(free_managed);
    NEVER(attach_to_stream);
    NEVER(attach_to_host);
    NEVER(prefetch_to_device);
    NEVER(prefetch_to_host);
    NEVER(allocate_pinned);
    NEVER(free_pinned);
    NEVER(allocate_device);
    NEVER(free_device);
    NEVER(copy);
    NEVER(register_mapping);
    NEVER(unregister_mapping);
    NEVER(workspace_limit);
    NEVER(free_bytes);
    NEVER(kernels);
    NEVER(run);
    NEVER(set_meanwhile);
#if defined(FIXTURE_ABI)
    table.abi = TEGU_MODULE_ABI + 1;
    table.probe = NULL;  // nothing behind the version counts
#elif defined(FIXTURE_REVISION)
    table.revision ^= 1;
#elif defined(FIXTURE_GAPS)
    table.run = NULL;
#elif defined(FIXTURE_NO_TABLE)
    return NULL;
#endif
    return &table;
}
