# SPDX-License-Identifier: Apache-2.0
# fused: the sweep that statistics, histogram and entropy share.
target_sources(tegu_kernels PRIVATE cpu/fused_run.cpp)
