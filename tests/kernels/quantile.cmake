# SPDX-License-Identifier: Apache-2.0
tegu_test(quantile_test SOURCES quantile_test.cpp LINKS tegu_kernels)
if(NOT TEGU_SANITIZE)
  foreach(isa sse2 avx2)
    add_test(NAME quantile_test.${isa} COMMAND quantile_test)
    set_tests_properties(quantile_test.${isa} PROPERTIES TIMEOUT 300 ENVIRONMENT "TEGU_CPU_ISA=${isa}")
  endforeach()
endif()
