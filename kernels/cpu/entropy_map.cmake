# The table and the tiles of entropy_map, and its inner loops once per instruction set.
target_sources(tegu_kernels PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/entropy_table.cpp ${CMAKE_CURRENT_SOURCE_DIR}/entropy_map_tile.cpp)
tegu_isa_objects(tegu_kernels
  ${CMAKE_CURRENT_SOURCE_DIR}/cpu/entropy_map_columns.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/cpu/entropy_map_pixels.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/cpu/entropy_map_planes.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/cpu/entropy_map_slide.cpp)
