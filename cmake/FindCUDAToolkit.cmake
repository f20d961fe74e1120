# SPDX-License-Identifier: Apache-2.0
# CMake's own FindCUDAToolkit, which it has from 3.17 on. Before, of the same targets those that are used here, from what
# CMake learnt of nvcc.
if(NOT CMAKE_VERSION VERSION_LESS 3.17)
  include(${CMAKE_ROOT}/Modules/FindCUDAToolkit.cmake)
  return()
endif()
set(CUDAToolkit_VERSION ${CMAKE_CUDA_COMPILER_VERSION})
set(CUDAToolkit_INCLUDE_DIRS ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
get_filename_component(tegu_toolkit "${CMAKE_CUDA_COMPILER}" REALPATH)
get_filename_component(tegu_toolkit "${tegu_toolkit}" DIRECTORY)
foreach(tegu_kind cudart_static cudart)
  find_library(TEGU_${tegu_kind} ${tegu_kind} PATHS ${CMAKE_CUDA_IMPLICIT_LINK_DIRECTORIES} ${tegu_toolkit}/../lib64
    ${tegu_toolkit}/../targets/${CMAKE_SYSTEM_PROCESSOR}-linux/lib NO_DEFAULT_PATH)
  find_library(TEGU_${tegu_kind} ${tegu_kind})
  mark_as_advanced(TEGU_${tegu_kind})
  if(TEGU_${tegu_kind} AND NOT TARGET CUDA::${tegu_kind})
    add_library(CUDA::${tegu_kind} INTERFACE IMPORTED)
    set_target_properties(CUDA::${tegu_kind} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${CUDAToolkit_INCLUDE_DIRS}"
      INTERFACE_LINK_LIBRARIES "${TEGU_${tegu_kind}};Threads::Threads;${CMAKE_DL_LIBS};rt")
  endif()
endforeach()
set(TEGU_CUDART ${TEGU_cudart_static})
if(NOT TEGU_CUDART)
  set(TEGU_CUDART ${TEGU_cudart})
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CUDAToolkit REQUIRED_VARS TEGU_CUDART VERSION_VAR CUDAToolkit_VERSION)
