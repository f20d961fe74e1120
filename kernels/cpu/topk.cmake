# SPDX-License-Identifier: Apache-2.0
# Top-k on the CPU: the scans are compiled per instruction set, everything above them once.
target_sources(tegu_kernels PRIVATE cpu/select_sequence.cpp cpu/select_sort.cpp cpu/topk_select.cpp cpu/topk_selector.cpp cpu/topk_direct.cpp cpu/topk_blocks.cpp
  cpu/topk_threshold.cpp cpu/topk_buckets.cpp cpu/topk_bucket_map.cpp cpu/topk_bucket_fill.cpp
  cpu/topk_bucket_sort.cpp cpu/topk_distinct.cpp cpu/topk_lists.cpp)
tegu_isa_objects(tegu_kernels ${CMAKE_CURRENT_SOURCE_DIR}/cpu/topk_scan.cpp ${CMAKE_CURRENT_SOURCE_DIR}/cpu/topk_buckets_scan.cpp)
