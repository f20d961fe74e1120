# SPDX-License-Identifier: Apache-2.0
tegu_test(topk_test SOURCES topk_test.cpp LINKS tegu_kernels)
tegu_test(topk_edges_test SOURCES topk_edges_test.cpp LINKS tegu_kernels)
tegu_isa_tests(topk_test)
# What docs/topk.md compares: build and run it by hand, then scripts/plot-topk.py.
add_executable(topk_methods EXCLUDE_FROM_ALL topk_methods.cpp)
target_link_libraries(topk_methods PRIVATE tegu_kernels)
tegu_script_test(topk_plot COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/plot-topk.py --check)
