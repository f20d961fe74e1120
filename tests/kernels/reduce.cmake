# SPDX-License-Identifier: Apache-2.0
tegu_test(reduce_test SOURCES reduce_test.cpp LINKS tegu_kernels)
tegu_test(reduce_sets_test SOURCES reduce_sets_test.cpp LINKS tegu_kernels)
tegu_test(reduce_bounds_test SOURCES reduce_bounds_test.cpp LINKS tegu_kernels)
tegu_test(reduce_errors_test SOURCES reduce_errors_test.cpp LINKS tegu_kernels)
# The reference is the same for every instruction set that the machine has; a wish for a better one than it has changes nothing.
foreach(isa sse2 avx2)
  foreach(test reduce_test reduce_sets_test)
    add_test(NAME ${test}.${isa} COMMAND ${test})
    set_tests_properties(${test}.${isa} PROPERTIES TIMEOUT 300 ENVIRONMENT "TEGU_CPU_ISA=${isa};TSAN_OPTIONS=halt_on_error=1")
  endforeach()
endforeach()
