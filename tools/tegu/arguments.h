// SPDX-License-Identifier: Apache-2.0
// The words of a command line in the order that the parser takes: the command first, then its options. And
// the word that somebody who mistyped may have meant.
#pragma once

#include <string>
#include <vector>

namespace tegu {
namespace cli {

// Moves options that stand before the command behind it. "help top" becomes "top --help", "help"
// alone "--help", and "--color" alone "--color=always". `words`: without the name of the program.
std::vector<std::string> arranged(const std::vector<std::string>& words);

// The word of `known` that differs least from `word`; empty if all differ in more than a third of it.
std::string nearest(const std::string& word, const std::vector<std::string>& known);

// "; did you mean top?", or empty.
std::string suggestion(const std::string& word, const std::vector<std::string>& known);

}  // namespace cli
}  // namespace tegu
