# SPDX-License-Identifier: Apache-2.0
tegu_test(add_test SOURCES add_test.cpp LINKS tegu_kernels)
foreach(isa sse2 avx2)
  add_test(NAME add_test.${isa} COMMAND add_test)
  set_tests_properties(add_test.${isa} PROPERTIES TIMEOUT 300 ENVIRONMENT "TEGU_CPU_ISA=${isa};TSAN_OPTIONS=halt_on_error=1")
endforeach()
