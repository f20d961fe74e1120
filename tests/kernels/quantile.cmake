# SPDX-License-Identifier: Apache-2.0
tegu_test(quantile_test SOURCES quantile_test.cpp LINKS tegu_kernels)
tegu_test(quantile_edges_test SOURCES quantile_edges_test.cpp LINKS tegu_kernels)
tegu_isa_tests(quantile_test)
