// SPDX-License-Identifier: Apache-2.0
// Paths of this program and of those that it starts: beside it in a build folder, or in the installation
// folders.
#pragma once

#include <string>

namespace tegu::bench {

std::string this_program();            // its path
std::string folder_of_this_program();  // with a slash at the end
// The daemon: beside this program, or in ../sbin. Where it is in neither, the former.
std::string find_tegud();

}  // namespace tegu::bench
