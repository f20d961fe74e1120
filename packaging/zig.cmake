# SPDX-License-Identifier: Apache-2.0
# Toolchain file of scripts/package.sh: clang of zig for a board or a PC, with an old glibc and its own C++ library inside.
# TEGU_PACKAGE_TOOLS has the compilers, TEGU_PACKAGE_SYSROOT headers and libraries of Debian.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TEGU_PACKAGE_TRIPLE TEGU_PACKAGE_TOOLS TEGU_PACKAGE_SYSROOT)
string(REGEX REPLACE "-.*" "" processor "${TEGU_PACKAGE_TRIPLE}")
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${processor})
set(CMAKE_C_COMPILER ${TEGU_PACKAGE_TOOLS}/cc)
set(CMAKE_CXX_COMPILER ${TEGU_PACKAGE_TOOLS}/c++)
set(CMAKE_AR ${TEGU_PACKAGE_TOOLS}/ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${TEGU_PACKAGE_TOOLS}/ranlib CACHE FILEPATH "")
set(CMAKE_LIBRARY_ARCHITECTURE ${TEGU_PACKAGE_TRIPLE})
set(CMAKE_FIND_ROOT_PATH ${TEGU_PACKAGE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# The linker reads the symbols of libsystemd alone, not those of the libraries below it.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-pie -Wl,-z,now -Wl,--allow-shlib-undefined")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-Wl,-z,now")
