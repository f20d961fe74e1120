# SPDX-License-Identifier: Apache-2.0
tegu_test(fused_test SOURCES fused_test.cpp LINKS tegu_kernels)
# The same results with every instruction set that the machine has; a wish for a better one than it has changes nothing.
if(NOT TEGU_SANITIZE)
  foreach(isa sse2 avx2)
    add_test(NAME fused_test.${isa} COMMAND fused_test)
    set_tests_properties(fused_test.${isa} PROPERTIES TIMEOUT 300 ENVIRONMENT "TEGU_CPU_ISA=${isa}")
  endforeach()
endif()
