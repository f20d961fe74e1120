# SPDX-License-Identifier: Apache-2.0
tegu_test(fused_test SOURCES fused_test.cpp LINKS tegu_kernels)
foreach(isa sse2 avx2)
  add_test(NAME fused_test.${isa} COMMAND fused_test)
  set_tests_properties(fused_test.${isa} PROPERTIES TIMEOUT 300 ENVIRONMENT "TEGU_CPU_ISA=${isa};TSAN_OPTIONS=halt_on_error=1")
endforeach()
