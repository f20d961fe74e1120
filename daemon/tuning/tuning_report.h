// SPDX-License-Identifier: Apache-2.0
// Reports on tuning in INFO and health: tables in use, rows for each operation, ignored parts and reasons.
#pragma once

#include <vector>

#include "daemon/gpus/gpus.h"
#include "daemon/health/daemon_report.h"
#include "daemon/tuning/tuning.h"
#include "wire/messages.h"

namespace tegu::daemon {

inline constexpr std::size_t kMaxReasonsReported = 8;

// tuning_..., cpu_tuning, gpu_tuning, gpu1_tuning ...; rows of an operation, by its stem: gpu_rows_reduce. Io
// thread.
std::vector<wire::Field> tuning_fields(const Tuning& tuning, const GpuStatus& gpus);
health::TuningReport tuning_report(const Tuning& tuning);

}  // namespace tegu::daemon
