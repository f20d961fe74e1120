// SPDX-License-Identifier: Apache-2.0
// A job as a request of the client library, and its result against the reference.
#pragma once

#include <string>

#include "client/tegu.hpp"
#include "tools/tune/jobs/reference.h"

namespace tegu::tune {

// A request on the inputs of the reference, which must live until the job is submitted.
client::Request request_of(const Reference& reference);

// As difference(): empty if the arrays of the result are the reference's bits.
std::string difference(const Reference& reference, const client::Result& result);

}  // namespace tegu::tune
