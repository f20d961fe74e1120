# SPDX-License-Identifier: Apache-2.0
# histogram: the numbers of bins once per instruction set, everything else once. value_counter, key_counts and extrema also serve entropy and fused.
target_sources(tegu_kernels PRIVATE cpu/bin_counter.cpp cpu/byte_planes.cpp cpu/extrema.cpp cpu/histogram_run.cpp cpu/histogram_scale.cpp cpu/key_counts.cpp cpu/value_counter.cpp)
tegu_isa_objects(tegu_kernels ${CMAKE_CURRENT_SOURCE_DIR}/cpu/histogram_bins.cpp)
