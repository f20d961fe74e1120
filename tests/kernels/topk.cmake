tegu_test(topk_test SOURCES topk_test.cpp LINKS tegu_kernels)
# The same results with every instruction set that the machine has; a wish for a better one than it has changes nothing.
if(NOT TEGU_SANITIZE)
  foreach(isa sse2 avx2)
    add_test(NAME topk_test.${isa} COMMAND topk_test)
    set_tests_properties(topk_test.${isa} PROPERTIES TIMEOUT 300 ENVIRONMENT "TEGU_CPU_ISA=${isa}")
  endforeach()
endif()
