tegu_test(topk_test SOURCES topk_test.cpp LINKS tegu_kernels)
# The same results with every instruction set that the machine has; a wish for a better one than it has changes nothing.
if(NOT TEGU_SANITIZE)
  foreach(isa sse2 avx2)
    add_test(NAME topk_test.${isa} COMMAND topk_test)
    set_tests_properties(topk_test.${isa} PROPERTIES TIMEOUT 300 ENVIRONMENT "TEGU_CPU_ISA=${isa}")
  endforeach()
endif()
# What docs/topk.md compares: build and run it by hand, then scripts/plot-topk.py.
add_executable(topk_methods EXCLUDE_FROM_ALL topk_methods.cpp)
target_link_libraries(topk_methods PRIVATE tegu_kernels)
set_target_properties(topk_methods PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
tegu_script_test(topk_plot COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/plot-topk.py --check)
