# SPDX-License-Identifier: Apache-2.0
tegu_test(histogram_test SOURCES histogram_test.cpp histogram_errors_test.cpp histogram_range_test.cpp LINKS tegu_kernels)
tegu_test(key_counts_test SOURCES key_counts_test.cpp LINKS tegu_kernels)
tegu_isa_tests(histogram_test key_counts_test)

# Against numpy, where that is installed.
add_executable(histogram_program histogram_program.cpp)
target_link_libraries(histogram_program PRIVATE tegu_kernels)
tegu_script_test(histogram_numpy
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/histogram_numpy.py $<TARGET_FILE:histogram_program>)
