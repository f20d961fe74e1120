// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/arguments.h"

#include <algorithm>
#include <iterator>

#include "tools/formats/colour.h"

namespace tegu {
namespace cli {
namespace {

bool is_option(const std::string& word) {
    return word.size() > 1 && word[0] == '-';
}

bool is_when(const std::string& word) {
    return word == "auto" || word == "always" || word == "never";
}

// --color was the American spelling of --colour, which takes a colour map: it still is, before such a word.
void spell_colour(std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
        const bool alone = words[i] == "--color";
        if (!alone && words[i].compare(0, 8, "--color=") != 0) continue;
        const std::string value = alone ? (i + 1 < words.size() ? words[i + 1] : "") : words[i].substr(8);
        if (formats::find_colour_map(value) != nullptr)
            words[i] = alone ? "--colour" : "--colour=" + value;
        else if (alone && !is_when(value))
            words[i] = "--color=always";
    }
}

// How many words an option before the command has: itself, and its value if that is a word of its own.
std::size_t words_of(const std::vector<std::string>& words, std::size_t at) {
    if (words[at] == "--color") return at + 1 < words.size() && is_when(words[at + 1]) ? 2 : 1;
    return words[at] == "--socket" || words[at] == "--timeout" ? 2 : 1;
}

}  // namespace

std::vector<std::string> arranged(const std::vector<std::string>& words) {
    std::size_t command = 0;
    while (command < words.size() && is_option(words[command])) command += words_of(words, command);
    std::vector<std::string> result;
    if (command >= words.size()) {
        result = words;
    } else {
        const auto at = words.begin() + static_cast<std::ptrdiff_t>(command);
        result.push_back(*at);
        result.insert(result.end(), words.begin(), at);
        result.insert(result.end(), at + 1, words.end());
    }
    if (!result.empty() && result[0] == "help") {
        const auto topic = std::find_if_not(result.begin() + 1, result.end(), is_option);
        if (topic == result.end()) return {"--help"};
        return {*topic, "--help"};
    }
    spell_colour(result);
    return result;
}

std::string nearest(const std::string& word, const std::vector<std::string>& known) {
    std::string best;
    std::size_t least = std::max<std::size_t>(word.size() / 3, 1) + 1;
    for (const std::string& candidate : known) {
        if (word.size() > candidate.size() + least || candidate.size() > word.size() + least) continue;
        // Insertions, deletions, replacements, and neighbours that changed places.
        std::vector<std::vector<std::size_t>> cost(word.size() + 1,
                                                   std::vector<std::size_t>(candidate.size() + 1));
        for (std::size_t i = 0; i <= word.size(); ++i) cost[i][0] = i;
        for (std::size_t j = 0; j <= candidate.size(); ++j) cost[0][j] = j;
        for (std::size_t i = 1; i <= word.size(); ++i) {
            for (std::size_t j = 1; j <= candidate.size(); ++j) {
                const bool same = word[i - 1] == candidate[j - 1];
                cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + !same});
                if (i > 1 && j > 1 && word[i - 1] == candidate[j - 2] && word[i - 2] == candidate[j - 1])
                    cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
            }
        }
        const std::size_t distance = cost[word.size()][candidate.size()];
        // What differs in all of it is no slip; "-c" has but one letter.
        if (distance >= least || distance + 1 >= candidate.size()) continue;
        least = distance;
        best = candidate;
    }
    return best;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
    constexpr std::size_t kLongest = 40;  // of a word that somebody may have mistyped
    const std::string meant = word.size() > kLongest ? "" : nearest(word, known);
    return meant.empty() ? meant : "; did you mean " + meant + "?";
}

}  // namespace cli
}  // namespace tegu
