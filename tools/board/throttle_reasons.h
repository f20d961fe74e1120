// SPDX-License-Identifier: Apache-2.0
// Classifies the reasons of BoardState::throttle: those that end when the board rests, and those that last as
// long as the load.
#pragma once

#include <string>
#include <vector>

namespace tegu::board {

// Whether the reason holds as long as the load does: a GPU at its limit of power. Times that are taken
// meanwhile are those of this limit, and repeating them changes nothing.
[[nodiscard]] bool is_standing(const std::string& reason);

// The others, each once: heat and low voltage. A measurement that met one of them has to be repeated.
[[nodiscard]] std::vector<std::string> passing_reasons(const std::vector<std::string>& throttle);

// "a, b": in a sentence.
[[nodiscard]] std::string in_words(const std::vector<std::string>& reasons);

}  // namespace tegu::board
