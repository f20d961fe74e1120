# SPDX-License-Identifier: Apache-2.0
# The same bits on every machine: tests/data/digests.txt, with each instruction set that this machine can run.
# scripts/check-aarch64.sh builds this program alone for another machine.
add_executable(digests ${CMAKE_CURRENT_LIST_DIR}/digests.cpp ${CMAKE_CURRENT_LIST_DIR}/cases.cpp)
target_link_libraries(digests PRIVATE tegu_kernels)
set_target_properties(digests PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
# Not under sanitizers: they change no bit, and the tests of each operation run there.
if(TEGU_TESTS AND NOT TEGU_KERNELS_ONLY AND NOT TEGU_SANITIZE)
  foreach(isa best sse2 avx2)
    add_test(NAME digests.${isa} COMMAND digests ${PROJECT_SOURCE_DIR}/tests/data/digests.txt)
    set_tests_properties(digests.${isa} PROPERTIES TIMEOUT 300 ENVIRONMENT "TEGU_CPU_ISA=${isa};TSAN_OPTIONS=halt_on_error=1")
  endforeach()
endif()
