# SPDX-License-Identifier: Apache-2.0
tegu_test(add_test SOURCES add_test.cpp LINKS tegu_kernels)
tegu_isa_tests(add_test)
