# SPDX-License-Identifier: Apache-2.0
tegu_isa_objects(tegu_kernels ${CMAKE_CURRENT_LIST_DIR}/rowscale_rows.cpp)
