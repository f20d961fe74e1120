# SPDX-License-Identifier: Apache-2.0
tegu_test(rowscale_test SOURCES rowscale_test.cpp LINKS tegu_kernels)
tegu_isa_tests(rowscale_test)
