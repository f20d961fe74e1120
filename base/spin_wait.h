// SPDX-License-Identifier: Apache-2.0
// SpinWait decides whether an idle thread polls again at once or sleeps. Waking a sleeping thread takes
// longer than a small job does. So the thread stays awake for a short time, but only while events come
// quicker than that and nobody else wants the core. A poll that takes too long shows that another thread ran
// in between. One such disturbance is tolerated. When it happens again soon, the thread sleeps for a while,
// each time twice as long. Two sides that both sleep wake each other by turns, and neither sees an event in
// less than two wake-ups. To leave that state, an event within twice the time starts a trial. A trial that
// fails counts as a disturbance. Pure.
#pragma once

#include <algorithm>
#include <chrono>

namespace tegu {

class SpinWait {
  public:
    using Clock = std::chrono::steady_clock;
    using TimePoint = Clock::time_point;
    static constexpr auto kPreempted = std::chrono::microseconds(50);  // a look takes well under one
    static constexpr auto kShortestBackOff = std::chrono::microseconds(500);
    static constexpr auto kBackOff = std::chrono::milliseconds(20);  // the longest
    // awake without a disturbance: the next one is the first again. Who always wants the core is given it
    // sooner
    static constexpr auto kCalm = std::chrono::milliseconds(5);

    // The next event is waited for from now on: what was before does not count as waiting. Nothing if it is
    // waited for already. Who waits all the time need not say so. Who does, and stays awake for the whole
    // limit in vain, may have kept the other side from the core, and backs off, too.
    void begin(TimePoint now) {
        last_look_ = now;
        if (!waiting_) begin_ = now;
        waiting_ = true;
    }

    // Something happened. `limit`: how long it is worth to stay awake for the next event; zero is never.
    void note_event(TimePoint now, Clock::duration limit) {
        awake_ = now - begin_ < 2 * limit && now >= not_before_;
        trial_ = now - begin_ >= limit;
        begin_ = last_look_ = now;
        waiting_ = false;
    }

    // Nothing happened: true to look again at once, false to sleep until the next event.
    bool stay_awake(TimePoint now, Clock::duration limit) {
        const bool in_vain = (waiting_ || trial_) && now - begin_ >= limit;
        if (awake_ && (in_vain || now - last_look_ > kPreempted)) {
            back_off(now);
            awake_ = false;
        }
        last_look_ = now;
        return awake_ = awake_ && now - begin_ < limit;
    }

  private:
    void back_off(TimePoint now) {
        if (last_look_ - not_before_ > kCalm) pause_ = Clock::duration::zero();
        not_before_ = now + pause_;
        pause_ = std::min<Clock::duration>(std::max<Clock::duration>(2 * pause_, kShortestBackOff), kBackOff);
    }

    TimePoint begin_{};
    TimePoint last_look_{};
    TimePoint not_before_{};
    Clock::duration pause_{};  // that the next disturbance brings
    bool waiting_ = false;
    bool trial_ = false;  // the last event was no quick one
    bool awake_ = false;
};

}  // namespace tegu
