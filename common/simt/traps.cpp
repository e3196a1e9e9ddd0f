// The handlers of SIGFPE, SIGSEGV and SIGBUS. A handler switches to the machine's own stack and
// never returns, so it unblocks the signals that were blocked meanwhile itself.
#include "simt/traps.h"

#include <signal.h>
#include <ucontext.h>

#include <array>
#include <memory>
#include <mutex>
#include <sstream>

#include "simt/machine.h"

namespace td::simt {
namespace {

constexpr std::array kSignals{SIGFPE, SIGSEGV, SIGBUS};
struct sigaction previous[NSIG];

std::uintptr_t instruction_of([[maybe_unused]] const void* context) {
  const auto* state = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(state->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return state->uc_mcontext.pc;
#endif
}

/// Does what would have happened without this handler.
void pass_on(int signal, siginfo_t* info, void* context) {
  struct sigaction& action = previous[signal];
  if (action.sa_flags & SA_SIGINFO) return action.sa_sigaction(signal, info, context);
  if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN)
    return action.sa_handler(signal);
  // After the return the instruction raises the signal again, with the default action.
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, nullptr);
}

void on_trap(int signal, siginfo_t* info, void* context) {
  if (Machine* machine = Machine::running()) {
    pthread_sigmask(SIG_SETMASK, &static_cast<ucontext_t*>(context)->uc_sigmask, nullptr);
    machine->end_at_fault(signal, instruction_of(context),
                          reinterpret_cast<std::uintptr_t>(info->si_addr));
  }
  pass_on(signal, info, context);
}

/// A stack for handlers, because a thread may fault by using up its own.
struct SignalStack {
  static constexpr std::size_t kBytes = 64 << 10;
  SignalStack() {
    stack_t stack{};
    stack.ss_sp = memory.get();
    stack.ss_size = kBytes;
    sigaltstack(&stack, &before);
  }
  ~SignalStack() { sigaltstack(&before, nullptr); }
  const std::unique_ptr<char[]> memory{new char[kBytes]};
  stack_t before{};
};

}  // namespace

void install_traps() {
  thread_local const SignalStack stack;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  for (const int signal : kSignals) {
    struct sigaction current {};
    sigaction(signal, nullptr, &current);
    if ((current.sa_flags & SA_SIGINFO) && current.sa_sigaction == on_trap) continue;
    previous[signal] = current;
    struct sigaction action {};
    action.sa_sigaction = on_trap;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
}

std::string text_of_trap(int signal, std::uintptr_t address, bool is_overflow) {
  if (signal == SIGFPE)
    return " divides an integer by zero\n"
           "  a GPU does not stop here, and its result is undefined: test the divisor before";
  if (is_overflow)
    return " needs more stack than a thread of sim has, 124 KiB\n"
           "  a recursion may have no end, or a local array is too large: use shared memory";
  std::ostringstream text;
  text << " accesses address 0x" << std::hex << address
       << ", where there is no memory\n  the index is wrong, or the pointer is not one that the "
          "launch was given";
  return text.str();
}

}  // namespace td::simt
