// SPDX-License-Identifier: Apache-2.0
// IdleWait: whether the io thread, when there is nothing to do, looks again at once or sleeps. Waking up a sleeping thread takes
// longer than a small job does altogether. So it stays awake for a short time after an event, but only while events come
// quicker than that, and while nobody else wants the core: when looking takes much longer than it should, another thread
// ran in between, and staying awake is over for a while. Pure.
#pragma once

#include "daemon/clock.h"

namespace tegu::daemon {

class IdleWait {
  public:
    static constexpr auto kPreempted = std::chrono::microseconds(50);  // a look takes well under one
    static constexpr auto kBackOff = std::chrono::milliseconds(20);

    // Something happened. `limit`: how long it is worth to stay awake for the next event; zero is never.
    void note_event(TimePoint now, Clock::duration limit) {
        awake_ = now - last_event_ < limit && now >= not_before_;
        last_event_ = last_look_ = now;
    }

    // Nothing happened: true to look again at once, false to sleep until the next event.
    bool stay_awake(TimePoint now, Clock::duration limit) {
        if (awake_ && now - last_look_ > kPreempted) {
            not_before_ = now + kBackOff;
            awake_ = false;
        }
        last_look_ = now;
        return awake_ = awake_ && now - last_event_ < limit;
    }

  private:
    TimePoint last_event_{};
    TimePoint last_look_{};
    TimePoint not_before_{};
    bool awake_ = false;
};

}  // namespace tegu::daemon
