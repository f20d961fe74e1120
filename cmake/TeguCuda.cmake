# SPDX-License-Identifier: Apache-2.0
# The CUDA language, if it is wanted and there: sets TEGU_HAS_CUDA and the flags that keep device code to the bits of docs/numerics.md.
#   TEGU_CUDA                auto: with CUDA if a compiler is found; on: it must be; off: CPU backend only
#   TEGU_CUDA_ARCHITECTURES  auto: every Jetson that the toolkit has code for; one: the newest of these, to see that all compiles; else a list, e.g. "53;87"
set(TEGU_CUDA auto CACHE STRING "Build the CUDA backend: auto, on or off")
set_property(CACHE TEGU_CUDA PROPERTY STRINGS auto on off)
set(TEGU_CUDA_ARCHITECTURES auto CACHE STRING "Compute capabilities to build machine code for, or auto")

set(TEGU_CUB_INCLUDE "" CACHE PATH "What tegu-bench-gpu is compared with: the folder include/cccl of a newer nvidia-cuda-cccl package; empty: the toolkit's CUB")

set(TEGU_HAS_CUDA OFF)
string(TOLOWER "${TEGU_CUDA}" tegu_cuda)
if(NOT tegu_cuda MATCHES "^(auto|on|off)$")
  message(FATAL_ERROR "TEGU_CUDA is '${TEGU_CUDA}'; allowed: auto, on, off")
endif()
if(tegu_cuda STREQUAL "off")
  return()
endif()

include(CheckLanguage)
set(CMAKE_CUDA_ARCHITECTURES OFF)  # given per target, when the toolkit is known
find_program(TEGU_NVCC nvcc)
mark_as_advanced(TEGU_NVCC)
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND NOT TEGU_NVCC AND EXISTS /usr/local/cuda/bin/nvcc)
  set(ENV{CUDACXX} /usr/local/cuda/bin/nvcc)  # where JetPack puts it, not on the path
endif()
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  if(tegu_cuda STREQUAL "on")
    message(FATAL_ERROR "TEGU_CUDA is on, but there is no CUDA compiler (nvcc on the path, in /usr/local/cuda/bin, or named by CUDACXX). "
      "This build folder keeps the setting: -DTEGU_CUDA=auto builds with CUDA only where there is one, -DTEGU_CUDA=off without.")
  endif()
  message(STATUS "tegu: no CUDA compiler found: CPU backend only")
  return()
endif()
enable_language(CUDA)
set(TEGU_HAS_CUDA ON)
set(CMAKE_CUDA_STANDARD 14)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)

# Nano and TX1 53, TX2 62, Xavier 72, Orin 87, Thor 110: as far as the toolkit knows them.
if(TEGU_CUDA_ARCHITECTURES MATCHES "^(auto|one)$")
  set(TEGU_CUDA_CODE 87)
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 11.4)
    set(TEGU_CUDA_CODE 53 62 72)
  elseif(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13.0)
    set(TEGU_CUDA_CODE 53 62 72 87)
  else()
    set(TEGU_CUDA_CODE 87 110)
  endif()
  if(TEGU_CUDA_ARCHITECTURES STREQUAL "one")
    list(GET TEGU_CUDA_CODE -1 TEGU_CUDA_CODE)
  endif()
else()
  set(TEGU_CUDA_CODE ${TEGU_CUDA_ARCHITECTURES})
endif()
string(REPLACE ";" " " tegu_cuda_words "${TEGU_CUDA_CODE}")
message(STATUS "tegu: CUDA ${CMAKE_CUDA_COMPILER_VERSION}, machine code for sm_ ${tegu_cuda_words}")

# tegu_cuda_flags: link it to targets with .cu files. Machine code is compressed; that of four boards would be 40 MB. No
# contraction; IEEE division, square root and subnormals are nvcc's default.
add_library(tegu_cuda_flags INTERFACE)
target_include_directories(tegu_cuda_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(tegu_cuda_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CUDA>:--fmad=false -Xfatbin=-compress-all -Xcompiler=-ffp-contract=off,-Wall,-Wextra>)
if(TEGU_WERROR)
  target_compile_options(tegu_cuda_flags INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Werror>)
endif()
set(tegu_cuda_gencode)
foreach(code ${TEGU_CUDA_CODE})
  list(APPEND tegu_cuda_gencode "-gencode=arch=compute_${code},code=sm_${code}")
endforeach()
target_compile_options(tegu_cuda_flags INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:${tegu_cuda_gencode}>")
