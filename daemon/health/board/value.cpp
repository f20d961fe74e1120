// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/board/value.h"

namespace tegu::daemon::health {

const char* cause_word(Cause cause) {
    switch (cause) {
#define TEGU_X(Name, word, sentence) \
    case Cause::Name: return #word;
        TEGU_UNKNOWN_CAUSES(TEGU_X)
#undef TEGU_X
    }
    return "?";
}

const char* cause_sentence(Cause cause) {
    switch (cause) {
#define TEGU_X(Name, word, sentence) \
    case Cause::Name: return sentence;
        TEGU_UNKNOWN_CAUSES(TEGU_X)
#undef TEGU_X
    }
    return "?";
}

}  // namespace tegu::daemon::health
