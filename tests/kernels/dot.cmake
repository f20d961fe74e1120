# SPDX-License-Identifier: Apache-2.0
tegu_test(dot_test SOURCES dot_test.cpp LINKS tegu_kernels)
tegu_test(dot_integer_test SOURCES dot_integer_test.cpp LINKS tegu_kernels)
tegu_test(dot_job_test SOURCES dot_job_test.cpp LINKS tegu_kernels)
tegu_isa_tests(dot_test dot_integer_test)
