# SPDX-License-Identifier: Apache-2.0
tegu_test(entropy_test SOURCES entropy_test.cpp entropy_errors_test.cpp LINKS tegu_kernels)
# The same results with every instruction set that the machine has; a wish for a better one than it has changes nothing.
if(NOT TEGU_SANITIZE)
  foreach(isa sse2 avx2)
    add_test(NAME entropy_test.${isa} COMMAND entropy_test)
    set_tests_properties(entropy_test.${isa} PROPERTIES TIMEOUT 300 ENVIRONMENT "TEGU_CPU_ISA=${isa}")
  endforeach()
endif()
