# SPDX-License-Identifier: Apache-2.0
# entropy: its logarithms, and the counting of the levels that levels.cpp (entropy_map.cmake) makes.
target_sources(tegu_kernels PRIVATE fixed_log2.cpp cpu/entropy_run.cpp cpu/level_counter.cpp)
