# SPDX-License-Identifier: Apache-2.0
# GoogleTest and the standard library are parsed once for all tests: a third of the time of most test files. Product
# files gain little from it. A compiler cache shares no precompiled headers, so builds with one are without.
set(tegu_precompile_default OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND NOT CMAKE_VERSION VERSION_LESS 3.16)
  set(tegu_precompile_default ON)
endif()
option(TEGU_PRECOMPILE "Parse the headers of tests once" ${tegu_precompile_default})

# tegu_precompile(<test> [OPTIONS ...]): the test starts from the parsed headers. OPTIONS are what it is compiled with:
# programs that differ in them get headers of their own, and so do libraries of objects.
function(tegu_precompile target)
  cmake_parse_arguments(ARG "" "" "OPTIONS" ${ARGN})
  if(NOT TEGU_PRECOMPILE)
    return()
  endif()
  get_target_property(type ${target} TYPE)
  string(MAKE_C_IDENTIFIER "tegu_precompiled${ARG_OPTIONS}" headers)
  if(type STREQUAL EXECUTABLE)  # position-independent in another way than a library
    string(APPEND headers _program)
  endif()
  if(NOT TARGET ${headers})
    set(source ${PROJECT_BINARY_DIR}/generated/precompiled.cpp)
    if(NOT EXISTS ${source})
      file(WRITE ${source} "int main() { return 0; }\n")
    endif()
    if(type STREQUAL EXECUTABLE)
      add_executable(${headers} ${source})
    else()
      add_library(${headers} OBJECT ${source})
    endif()
    target_link_libraries(${headers} PRIVATE tegu_flags Threads::Threads GTest::gtest tegu_test_flags)
    target_compile_options(${headers} PRIVATE ${ARG_OPTIONS})
    target_precompile_headers(${headers} PRIVATE <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <cstdio> <cstring>
      <fstream> <functional> <gtest/gtest.h> <limits> <map> <memory> <mutex> <optional> <random> <set> <sstream> <string>
      <string_view> <thread> <unordered_map> <utility> <variant> <vector>)
  endif()
  target_link_libraries(${target} PRIVATE Threads::Threads)  # its compile flag is part of the headers
  target_compile_options(${target} PRIVATE -Wno-error=invalid-pch)  # headers that do not fit are parsed as usual
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()
