// The handler of SIGSEGV: says that the host accessed the memory of a device, and hands every
// signal on to the handler that was there before. Arena and the scheduler install it.
// Invariant: the handler allocates nothing and takes no lock.
#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <cstring>

#include "state.h"

namespace cuda_stand_in {
namespace {

struct sigaction previous;
thread_local bool is_handling = false;

void tell(int device, const void* address) {
  char text[96] = "The host accessed memory of cuda:";
  char* end = text + std::strlen(text);
  const auto append = [&](std::uintptr_t number, int base) {
    end = std::to_chars(end, text + sizeof text - 8, number, base).ptr;
  };
  append(static_cast<std::uintptr_t>(device), 10);
  end = std::strcpy(end, " at 0x") + 6;
  append(reinterpret_cast<std::uintptr_t>(address), 16);
  *end++ = '\n';
  [[maybe_unused]] const auto wrote =
      write(STDERR_FILENO, text, static_cast<std::size_t>(end - text));
}

void end_as_usual(int signal) {
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, nullptr);
  raise(signal);
}

void hand_on(int signal, siginfo_t* info, void* context) {
  const bool has_handler = previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN;
  // The earlier handler may have this one for its own earlier one.
  if (is_handling || !has_handler) return end_as_usual(signal);
  is_handling = true;
  if (previous.sa_flags & SA_SIGINFO)
    previous.sa_sigaction(signal, info, context);
  else
    previous.sa_handler(signal);
  is_handling = false;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const bool has_address = info->si_code > 0;  // not sent by kill()
  const int device = has_address && !is_handling ? arena_of(info->si_addr) : -1;
  if (device >= 0) tell(device, info->si_addr);
  hand_on(signal, info, context);
}

}  // namespace

void watch_host_accesses() {
  struct sigaction now {};
  sigaction(SIGSEGV, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_fault) return;
  previous = now;
  struct sigaction ours {};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaction(SIGSEGV, &ours, nullptr);
}

}  // namespace cuda_stand_in
