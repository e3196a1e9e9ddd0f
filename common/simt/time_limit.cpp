// A POSIX timer of the OS thread's processor time, whose signal goes to that thread (traps.cpp).
#include "simt/time_limit.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>

namespace td::simt {

double TimeLimit::usual_seconds() {
  const char* const text = std::getenv("TD_SIM_TIME_LIMIT");
  return text ? std::atof(text) : 10;
}

TimeLimit::~TimeLimit() {
  if (has_timer_) timer_delete(timer_);
}

void TimeLimit::start(double seconds) {
  restart();
  most_ticks_ = seconds > 0 ? std::max(1, static_cast<int>(seconds / kTick + 0.5)) : INT_MAX;
  if (!has_timer_ && seconds > 0) set_timer();
}

void TimeLimit::set_timer() {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGVTALRM;
  event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
  has_timer_ = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) == 0;
  if (!has_timer_) return;
  const auto nanoseconds = static_cast<long>(kTick * 1e9);
  const itimerspec time{{0, nanoseconds}, {0, nanoseconds}};
  timer_settime(timer_, 0, &time, nullptr);
}

}  // namespace td::simt
