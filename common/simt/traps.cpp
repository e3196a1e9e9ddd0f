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

// On ARM64, a division by zero is a trap that the compiler adds (cmake/Kernels.cmake).
#if defined(__aarch64__)
constexpr int kDivision = SIGTRAP;
#else
constexpr int kDivision = SIGFPE;
#endif
constexpr std::array kSignals{kDivision, SIGSEGV, SIGBUS, SIGVTALRM};
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
  Machine* const machine = Machine::running();
  if (machine) {
    sigset_t own;
    pthread_sigmask(SIG_SETMASK, &static_cast<ucontext_t*>(context)->uc_sigmask, &own);
    if (signal != SIGVTALRM)
      machine->end_at_fault({signal, instruction_of(context),
                             reinterpret_cast<std::uintptr_t>(info->si_addr),
                             info->si_code == SI_KERNEL});
    machine->on_tick(instruction_of(context));
    pthread_sigmask(SIG_SETMASK, &own, nullptr);
  }
  if (signal == SIGVTALRM && info->si_code == SI_TIMER) return;  // between launches
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
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
}

namespace {

/// Whether the instruction is one of SSE, whose operands must be aligned to 16 bytes.
bool is_vector_instruction([[maybe_unused]] std::uintptr_t pc) {
#if defined(__x86_64__)
  const auto* code = reinterpret_cast<const unsigned char*>(pc);
  while (*code == 0x66 || *code == 0xf2 || *code == 0xf3 || (*code & 0xf0) == 0x40) ++code;
  return *code == 0x0f;
#else
  return false;
#endif
}

}  // namespace

std::string text_of_trap(const Machine::Fault& fault) {
  if (fault.signal == kDivision)
    return " divides an integer by zero\n"
           "  a GPU does not stop here, and its result is undefined: test the divisor before";
  if (fault.is_overflow)
    return " needs more stack than a thread of sim has, 124 KiB\n"
           "  a recursion may have no end, or a local array is too large: use shared memory";
  if (fault.is_general && is_vector_instruction(fault.pc))
    return " accesses 16 bytes at an address that is not a multiple of 16\n  a GPU stops with "
           "cudaErrorMisalignedAddress: access 16 bytes at once only from an index that is a "
           "multiple of 4 floats";
  std::ostringstream text;
  if (fault.is_general)
    text << " accesses an address that no memory can have";
  else
    text << " accesses address 0x" << std::hex << fault.address << ", where there is no memory";
  text << "\n  the index is wrong, or the pointer is not one that the launch was given";
  return text.str();
}

}  // namespace td::simt
