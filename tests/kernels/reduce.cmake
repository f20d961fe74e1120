# SPDX-License-Identifier: Apache-2.0
tegu_test(reduce_test SOURCES reduce_test.cpp LINKS tegu_kernels)
tegu_test(reduce_bounds_test SOURCES reduce_bounds_test.cpp LINKS tegu_kernels)
tegu_test(reduce_errors_test SOURCES reduce_errors_test.cpp LINKS tegu_kernels)
# The reference is the same for every instruction set that the machine has; a wish for a better one than it has changes nothing.
foreach(isa sse2 avx2)
  add_test(NAME reduce_test.${isa} COMMAND reduce_test)
  set_tests_properties(reduce_test.${isa} PROPERTIES TIMEOUT 300 ENVIRONMENT "TEGU_CPU_ISA=${isa};TSAN_OPTIONS=halt_on_error=1")
endforeach()
