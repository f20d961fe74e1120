# SPDX-License-Identifier: Apache-2.0
tegu_test(entropy_test SOURCES entropy_test.cpp entropy_errors_test.cpp LINKS tegu_kernels)
tegu_isa_tests(entropy_test)
