# SPDX-License-Identifier: Apache-2.0
# Heavy headers are parsed once for many targets. A compiler cache shares no precompiled headers, so builds with
# one are without. Product code has them under sanitizers alone, so the release build proves what each file includes.
set(tegu_precompile_default OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(tegu_precompile_default ON)
endif()
option(TEGU_PRECOMPILE "Parse heavy headers once for many targets" ${tegu_precompile_default})

set(tegu_precompiled_std <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <cstdio> <cstring> <functional> <map>
  <memory> <mutex> <optional> <set> <string> <string_view> <thread> <unordered_map> <utility> <variant> <vector>)
set(tegu_precompiled_asio ${tegu_precompiled_std} <boost/asio/io_context.hpp> <boost/asio/local/stream_protocol.hpp>
  <boost/asio/ip/tcp.hpp> <boost/asio/posix/stream_descriptor.hpp> <boost/asio/post.hpp> <boost/asio/signal_set.hpp>
  <boost/asio/steady_timer.hpp>)
set(tegu_precompiled_test ${tegu_precompiled_std} <fstream> <gtest/gtest.h> <limits> <random> <sstream>)

# tegu_precompile(<target> KIND <std|asio|test> [LINKS ...] [OPTIONS ...]): the target starts from the headers of
# KIND. LINKS and OPTIONS are what it is compiled with beside tegu_flags: targets that differ get headers of their own.
function(tegu_precompile target)
  cmake_parse_arguments(ARG "" "KIND" "LINKS;OPTIONS" ${ARGN})
  if(NOT TEGU_PRECOMPILE OR (NOT ARG_KIND STREQUAL test AND NOT TEGU_SANITIZE))
    return()
  endif()
  get_target_property(type ${target} TYPE)
  string(MAKE_C_IDENTIFIER "tegu_precompiled_${ARG_KIND}${ARG_OPTIONS}" headers)
  if(type STREQUAL EXECUTABLE)
    string(APPEND headers _program)
  endif()
  if(NOT TARGET ${headers})
    set(source ${PROJECT_BINARY_DIR}/generated/precompiled.cpp)
    if(NOT EXISTS ${source})
      file(WRITE ${source} "int main() { return 0; }\n")
    endif()
    if(type STREQUAL EXECUTABLE)  # position-independent in another way than a library
      add_executable(${headers} ${source})
    else()
      add_library(${headers} OBJECT ${source})
    endif()
    target_link_libraries(${headers} PRIVATE tegu_flags Threads::Threads ${ARG_LINKS})
    target_compile_options(${headers} PRIVATE ${ARG_OPTIONS})
    target_precompile_headers(${headers} PRIVATE ${tegu_precompiled_${ARG_KIND}})
  endif()
  target_link_libraries(${target} PRIVATE Threads::Threads)  # its compile flag is part of the headers
  target_compile_options(${target} PRIVATE -Wno-error=invalid-pch)  # headers that do not fit are parsed as usual
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()
