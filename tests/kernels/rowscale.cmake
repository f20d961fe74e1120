# SPDX-License-Identifier: Apache-2.0
tegu_test(rowscale_test SOURCES rowscale_test.cpp LINKS tegu_kernels)
foreach(isa sse2 avx2)
  add_test(NAME rowscale_test.${isa} COMMAND rowscale_test)
  set_tests_properties(rowscale_test.${isa} PROPERTIES TIMEOUT 300 ENVIRONMENT "TEGU_CPU_ISA=${isa};TSAN_OPTIONS=halt_on_error=1")
endforeach()
