# SPDX-License-Identifier: Apache-2.0
tegu_test(fused_test SOURCES fused_test.cpp LINKS tegu_kernels)
tegu_isa_tests(fused_test)

# More than 2^31 elements, once: how they are counted on each instruction set is tested above.
tegu_test(counting_huge_test SOURCES counting_huge_test.cpp entropy_map_huge_test.cpp LINKS tegu_kernels)
