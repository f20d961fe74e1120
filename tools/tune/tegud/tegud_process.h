// SPDX-License-Identifier: Apache-2.0
// Facts about a tegud from the processes of this machine and from its reported fields.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/tegu.hpp"

namespace tegu::tune {

// Whether a process named tegud runs. `sysroot`: where proc is. A connection to the socket would start one.
bool is_tegud_running(const std::string& sysroot);
// The name of a process; empty: there is none.
std::string process_name(const std::string& sysroot, std::uint64_t pid);

// 0, or empty, for a field that is not there.
std::uint64_t number_in(const std::vector<client::Field>& fields, const std::string& name);
std::string text_in(const std::vector<client::Field>& fields, const std::string& name);

// A connection as "tegu-tune". It starts no daemon: without a socket that was named, one has to run.
client::Expected<client::Client> connect_tegud(const std::string& socket, const std::string& sysroot);

}  // namespace tegu::tune
