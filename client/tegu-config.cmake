# SPDX-License-Identifier: Apache-2.0
# find_package(tegu): the target tegu::tegu. tegu.hpp needs C++17; a project in C alone has no such feature.
include(${CMAKE_CURRENT_LIST_DIR}/tegu-targets.cmake)
if(CMAKE_CXX_COMPILER_LOADED)
  set_property(TARGET tegu::tegu APPEND PROPERTY INTERFACE_COMPILE_FEATURES cxx_std_17)
endif()
