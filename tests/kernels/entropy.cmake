# SPDX-License-Identifier: Apache-2.0
tegu_test(entropy_test SOURCES entropy_test.cpp LINKS tegu_kernels)
foreach(isa sse2 avx2)
  add_test(NAME entropy_test.${isa} COMMAND entropy_test)
  set_tests_properties(entropy_test.${isa} PROPERTIES TIMEOUT 300 ENVIRONMENT "TEGU_CPU_ISA=${isa};TSAN_OPTIONS=halt_on_error=1")
endforeach()
