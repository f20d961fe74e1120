# SPDX-License-Identifier: Apache-2.0
target_sources(tegu_kernels PRIVATE cpu/reduce_cost.cpp cpu/reduce_exact.cpp cpu/reduce_finish.cpp)
tegu_isa_objects(tegu_kernels ${CMAKE_CURRENT_LIST_DIR}/reduce_float.cpp ${CMAKE_CURRENT_LIST_DIR}/reduce_integer.cpp
  ${CMAKE_CURRENT_LIST_DIR}/reduce_find.cpp)
