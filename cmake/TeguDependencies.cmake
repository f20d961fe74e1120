# SPDX-License-Identifier: Apache-2.0
# What tegu stands on: each from the system package, else a pinned release. docs/dependencies.md says what each is for.
include(FetchContent)
set(CMAKE_THREAD_PREFER_PTHREAD ON)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# Boost, header-only: Asio is the daemon's loop, PropertyTree reads JSON for tegu top. Found by its header: FindBoost is gone from newer CMake.
find_path(TEGU_BOOST_INCLUDE boost/asio/local/stream_protocol.hpp)
add_library(tegu_boost INTERFACE)
add_library(tegu_asio INTERFACE)
target_link_libraries(tegu_asio INTERFACE tegu_boost)
target_compile_definitions(tegu_asio INTERFACE BOOST_ASIO_NO_DEPRECATED BOOST_ERROR_CODE_HEADER_ONLY)
target_link_libraries(tegu_asio INTERFACE Threads::Threads)
if(TEGU_BOOST_INCLUDE)
  file(STRINGS ${TEGU_BOOST_INCLUDE}/boost/version.hpp version_line REGEX "#define BOOST_VERSION ")
  string(REGEX REPLACE "[^0-9]" "" boost_version "${version_line}")
  if(boost_version LESS 106600)
    message(FATAL_ERROR "Boost 1.66 or newer is needed, ${TEGU_BOOST_INCLUDE} holds ${boost_version}")
  endif()
  target_include_directories(tegu_boost SYSTEM INTERFACE ${TEGU_BOOST_INCLUDE})
else()
  FetchContent_Declare(boost URL https://archives.boost.io/release/1.74.0/source/boost_1_74_0.tar.bz2
    URL_HASH SHA256=83bfc1507731a0906e387fc28b7ef5417d591429e51e788417fe9ff025e116b1)
  FetchContent_GetProperties(boost)
  if(NOT boost_POPULATED)
    FetchContent_Populate(boost)
  endif()
  target_include_directories(tegu_boost SYSTEM INTERFACE ${boost_SOURCE_DIR})
endif()

if(TEGU_SANITIZE MATCHES "thread")
  # Its fences stand beside mutexes that order the same; GCC's thread sanitizer knows mutexes only.
  target_compile_definitions(tegu_asio INTERFACE BOOST_ASIO_DISABLE_FENCED_BLOCK)
endif()

# libsystemd: sd_is_socket, of the sockets that systemd passes. Part of the system it talks to, so never fetched.
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBSYSTEMD REQUIRED IMPORTED_TARGET libsystemd>=237)

# ncurses with wide characters: tegu top on a terminal. Optional, and the system's own, as the descriptions of terminals are.
pkg_check_modules(NCURSESW QUIET IMPORTED_TARGET ncursesw)

# toml++ 3: the settings file. Used header-only and without exceptions. Version 2, which older distributions have, knows no folder impl/.
find_path(TEGU_TOMLPLUSPLUS_INCLUDE NAMES toml++/impl/version.hpp toml++/impl/version.h)
add_library(tegu_toml INTERFACE)
target_compile_definitions(tegu_toml INTERFACE TOML_HEADER_ONLY=1 TOML_EXCEPTIONS=0)
if(TEGU_TOMLPLUSPLUS_INCLUDE)
  target_include_directories(tegu_toml SYSTEM INTERFACE ${TEGU_TOMLPLUSPLUS_INCLUDE})
else()
  FetchContent_Declare(tomlplusplus GIT_REPOSITORY https://github.com/marzer/tomlplusplus.git GIT_TAG v3.4.0 GIT_SHALLOW ON)
  FetchContent_GetProperties(tomlplusplus)
  if(NOT tomlplusplus_POPULATED)
    FetchContent_Populate(tomlplusplus)
  endif()
  target_include_directories(tegu_toml SYSTEM INTERFACE ${tomlplusplus_SOURCE_DIR}/include)
endif()

# CLI11: the command lines.
find_package(CLI11 2.1 QUIET)
if(NOT CLI11_FOUND)
  FetchContent_Declare(cli11 GIT_REPOSITORY https://github.com/CLIUtils/CLI11.git GIT_TAG v2.1.2 GIT_SHALLOW ON)
  FetchContent_MakeAvailable(cli11)
endif()

# libpng: pictures in and out of the tools. zlib, which it stands on: members of .npz. libturbojpeg and libtiff are opened at run time
# (tools/formats/library.h): nothing here needs them.
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)

if(TEGU_TESTS)
  find_package(GTest QUIET)
  if(NOT GTest_FOUND)
    FetchContent_Declare(googletest GIT_REPOSITORY https://github.com/google/googletest.git GIT_TAG release-1.12.1 GIT_SHALLOW ON)
    FetchContent_MakeAvailable(googletest)
    add_library(GTest::gtest ALIAS gtest)
    add_library(GTest::gtest_main ALIAS gtest_main)
  endif()
  # The system's Python: the one that the distribution's numpy belongs to.
  if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
    set(Python3_EXECUTABLE /usr/bin/python3)
  endif()
  find_package(Python3 3.6 REQUIRED COMPONENTS Interpreter)
endif()
if(TEGU_BENCH)
  find_package(benchmark QUIET)
  if(NOT benchmark_FOUND)
    set(BENCHMARK_ENABLE_TESTING OFF CACHE BOOL "" FORCE)
    FetchContent_Declare(benchmark GIT_REPOSITORY https://github.com/google/benchmark.git GIT_TAG v1.7.1 GIT_SHALLOW ON)
    FetchContent_MakeAvailable(benchmark)
  endif()
endif()
