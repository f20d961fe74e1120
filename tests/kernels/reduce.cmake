# SPDX-License-Identifier: Apache-2.0
tegu_test(reduce_test SOURCES reduce_test.cpp LINKS tegu_kernels)
tegu_test(reduce_integer_test SOURCES reduce_integer_test.cpp LINKS tegu_kernels)
tegu_test(reduce_sets_test SOURCES reduce_sets_test.cpp LINKS tegu_kernels)
tegu_test(reduce_bounds_test SOURCES reduce_bounds_test.cpp LINKS tegu_kernels)
tegu_test(reduce_errors_test SOURCES reduce_errors_test.cpp LINKS tegu_kernels)
tegu_test(reduce_long_test SOURCES reduce_long_test.cpp LINKS tegu_kernels)
tegu_isa_tests(reduce_test reduce_integer_test reduce_sets_test)
