# SPDX-License-Identifier: Apache-2.0
tegu_test(fused_test SOURCES fused_test.cpp LINKS tegu_kernels)
tegu_isa_tests(fused_test)
