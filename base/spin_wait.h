// SPDX-License-Identifier: Apache-2.0
// SpinWait decides whether an idle thread polls again or sleeps. Waking a sleeping thread takes longer than a
// small job. So the thread polls while events come faster than that and no other thread needs the core.
//
// A poll that takes too long is a disturbance: another thread ran in between. One is tolerated; after a
// second one within kCalm the thread sleeps for a while, which doubles each time. If both sides sleep, each
// event costs two wake-ups. To leave that state, an event within twice the limit starts a trial; a failed
// trial counts as a disturbance. Pure: no system calls.
#pragma once

#include <algorithm>
#include <chrono>

namespace tegu {

class SpinWait {
  public:
    using Clock = std::chrono::steady_clock;
    using TimePoint = Clock::time_point;
    static constexpr auto kPreempted = std::chrono::microseconds(50);  // a poll takes far less
    static constexpr auto kShortestBackOff = std::chrono::microseconds(500);
    static constexpr auto kBackOff = std::chrono::milliseconds(20);  // the longest
    // after this time awake without a disturbance, the next one is the first again; a thread that always
    // needs the core disturbs sooner
    static constexpr auto kCalm = std::chrono::milliseconds(5);

    // Starts waiting for the next event: earlier time does not count as waiting. No effect if waiting
    // already. Optional for a thread that waits all the time. After it, a poll in vain for the whole limit is
    // a disturbance: it may have kept the other side from the core.
    void begin(TimePoint now) {
        last_poll_ = now;
        if (!waiting_) begin_ = now;
        waiting_ = true;
    }

    // Records an event. `limit`: how long polling for the next event is worth its cost; zero is never.
    void note_event(TimePoint now, Clock::duration limit) {
        awake_ = now - begin_ < 2 * limit && now >= not_before_;
        trial_ = now - begin_ >= limit;
        begin_ = last_poll_ = now;
        waiting_ = false;
    }

    // No event: true to poll again at once, false to sleep until the next event.
    bool stay_awake(TimePoint now, Clock::duration limit) {
        const bool in_vain = (waiting_ || trial_) && now - begin_ >= limit;
        if (awake_ && (in_vain || now - last_poll_ > kPreempted)) {
            back_off(now);
            awake_ = false;
        }
        last_poll_ = now;
        return awake_ = awake_ && now - begin_ < limit;
    }

  private:
    void back_off(TimePoint now) {
        if (last_poll_ - not_before_ > kCalm) pause_ = Clock::duration::zero();
        not_before_ = now + pause_;
        pause_ = std::min<Clock::duration>(std::max<Clock::duration>(2 * pause_, kShortestBackOff), kBackOff);
    }

    TimePoint begin_{};
    TimePoint last_poll_{};
    TimePoint not_before_{};
    Clock::duration pause_{};  // pause after the next disturbance
    bool waiting_ = false;
    bool trial_ = false;  // the last event came late
    bool awake_ = false;
};

}  // namespace tegu
