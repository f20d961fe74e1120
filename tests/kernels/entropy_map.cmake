# SPDX-License-Identifier: Apache-2.0
# entropy_map: its table, and the maps once per instruction set that this machine can run (a wish for a better one changes nothing).
tegu_test(entropy_table_test SOURCES entropy_table_test.cpp LINKS tegu_kernels)
tegu_test(entropy_map_test SOURCES entropy_map_test.cpp entropy_map_types_test.cpp entropy_map_limits_test.cpp LINKS tegu_kernels)
tegu_test(levels_test SOURCES levels_test.cpp LINKS tegu_kernels)
tegu_isa_tests(levels_test entropy_map_test)

# Against numpy, every type; against scikit-image, where that is installed.
add_executable(entropy_map_program entropy_map_program.cpp)
target_link_libraries(entropy_map_program PRIVATE tegu_kernels)
tegu_script_test(entropy_map_numpy
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/entropy_map_numpy.py $<TARGET_FILE:entropy_map_program>)
tegu_script_test(entropy_map_skimage
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/entropy_map_skimage.py $<TARGET_FILE:entropy_map_program>)

# The measurements of docs/entropy-map.md, on demand; its tables and plot must be those of the record.
add_executable(entropy_map_methods EXCLUDE_FROM_ALL entropy_map_methods.cpp)
target_link_libraries(entropy_map_methods PRIVATE tegu_kernels)
tegu_script_test(entropy_map_plot COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/plot-entropy-map.py --check)
