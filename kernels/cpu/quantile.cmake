# SPDX-License-Identifier: Apache-2.0
# Quantiles on the CPU: the scans are compiled per instruction set, the selection above them once.
target_sources(tegu_kernels PRIVATE cpu/quantile_select.cpp cpu/quantile_brackets.cpp cpu/quantile_finish.cpp)
tegu_isa_objects(tegu_kernels ${CMAKE_CURRENT_SOURCE_DIR}/cpu/quantile_scan.cpp)
