# SPDX-License-Identifier: Apache-2.0
# The same bits on every machine: scripts/check-aarch64.sh builds this program for another one, without the rest of the tests.
add_executable(digests ${CMAKE_CURRENT_LIST_DIR}/digests.cpp ${CMAKE_CURRENT_LIST_DIR}/digest_cases.cpp)
target_link_libraries(digests PRIVATE tegu_kernels)
set_target_properties(digests PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
