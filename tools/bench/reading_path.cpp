// The work that tools/reading_path.py follows, in a separate build that counts lines and calls.
//   bench_reading_path steps N   runs N training steps of a small network
//   bench_reading_path linear    prints the functions that one call of Linear enters and leaves
// Invariant: N + 1 steps do the work of N steps and one more, so that a difference is one step.
#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "td/td.h"

namespace {

constexpr int kWarmUp = 5;                // calls until caches and lists of free blocks are filled
constexpr std::size_t kEvents = 1 << 16;  // one call of Linear needs far fewer

std::array<void*, kEvents> events;  // the function that was entered; null for a return
std::size_t event_count = 0;
thread_local bool recording = false;

}  // namespace

// g++ -finstrument-functions calls these two; in other builds they are unused.
extern "C" {
__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void* function, void*) {
  if (recording && event_count < kEvents) events.data()[event_count++] = function;
}
__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void*, void*) {
  if (recording && event_count < kEvents) events.data()[event_count++] = nullptr;
}
}

namespace {

using namespace td;

void run_steps(int count) {
  manual_seed(0);
  nn::Sequential model(nn::Linear(20, 64), nn::ReLU(), nn::Linear(64, 10));
  optim::SGD optimizer(model->parameters(), optim::SGDOptions(0.01));
  const Tensor x = rand({32, 20}), y = rand({32, 10});
  for (int i = 0; i < count; ++i) {
    optimizer.zero_grad();
    const Tensor prediction = model->forward(x);
    const Tensor loss = mse_loss(prediction, y);
    loss.backward();
    optimizer.step();
  }
}

void record_linear() {
  const NoGradGuard no_grad;
  nn::Linear holder(20, 64);
  nn::LinearImpl& linear = *holder;
  const Tensor x = rand({32, 20});
  for (int i = 0; i < kWarmUp; ++i) linear.forward(x);
  recording = true;
  const Tensor y = linear.forward(x);
  recording = false;
}

// A line for each event: "-", or a function's address in its library and that library, for
// addr2line.
void print_events() {
  for (std::size_t i = 0; i < event_count; ++i) {
    Dl_info place;
    if (!events[i]) {
      std::puts("-");
    } else if (dladdr(events[i], &place)) {
      const char* const start = static_cast<char*>(place.dli_fbase);
      std::printf("%#tx %s\n", static_cast<char*>(events[i]) - start, place.dli_fname);
    } else {
      std::abort();  // every function is in a library
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "steps" && argc == 3) {
    run_steps(std::atoi(argv[2]));
  } else if (what == "linear") {
    record_linear();
    print_events();
    return event_count == kEvents;  // full: later events are missing
  } else {
    std::fputs("usage: bench_reading_path steps N | linear\n", stderr);
    return 2;
  }
}
