// SPDX-License-Identifier: Apache-2.0
// The declaration function of each part; part_list.cpp orders them.
#pragma once

#include "tools/field/part.h"

namespace tegu::field {

void add_copy_cases(PartContext& context, CaseList& cases);
void add_operation_cases(PartContext& context, CaseList& cases);
void add_peer_cases(PartContext& context, CaseList& cases);  // a group of the part "operations"
void add_occupancy_cases(PartContext& context, CaseList& cases);
void add_scaling_cases(PartContext& context, CaseList& cases);
void add_crossover_cases(PartContext& context, CaseList& cases);
void add_roundtrip_cases(PartContext& context, CaseList& cases);
void add_coldstart_cases(PartContext& context, CaseList& cases);

}  // namespace tegu::field
