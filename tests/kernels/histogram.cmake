# SPDX-License-Identifier: Apache-2.0
tegu_test(histogram_test SOURCES histogram_test.cpp histogram_errors_test.cpp LINKS tegu_kernels)
# The same results with every instruction set that the machine has; a wish for a better one than it has changes nothing.
if(NOT TEGU_SANITIZE)
  foreach(isa sse2 avx2)
    add_test(NAME histogram_test.${isa} COMMAND histogram_test)
    set_tests_properties(histogram_test.${isa} PROPERTIES TIMEOUT 300 ENVIRONMENT "TEGU_CPU_ISA=${isa}")
  endforeach()
endif()
