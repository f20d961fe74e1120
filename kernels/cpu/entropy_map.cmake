# SPDX-License-Identifier: Apache-2.0
# The table, the tiles and the policy of entropy_map, and its inner loops once per instruction set.
target_sources(tegu_kernels PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR}/entropy_map_policy.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/entropy_map_tile.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/entropy_table.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/levels.cpp)
tegu_isa_objects(tegu_kernels
  ${CMAKE_CURRENT_SOURCE_DIR}/cpu/levels.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/cpu/entropy_map_columns.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/cpu/entropy_map_finish.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/cpu/entropy_map_planes.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/cpu/entropy_map_prefix.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/cpu/entropy_map_slide.cpp)
