// The report of a host access to guarded memory, in a signal handler: no heap allocation, no lock.
// Querying the allocator is safe there: the fault is this thread's own, and the allocator never
// accesses guarded memory, so this thread holds none of its locks.
#include "sim/arena.h"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdio>

#include "sim/stream_queue.h"
#include "td/device/caching_allocator.h"
#include "td/device/record.h"

namespace td::sim {
namespace {

constexpr int kExitCode = 70;  // EX_SOFTWARE: an error of the program

struct sigaction previous_action;

/// Whose a block is. The text is written when the block is allocated, so that the handler only has
/// to copy it.
struct Note {
  const void* block = nullptr;
  BlockWords words{};
};
constinit std::mutex notes_lock;
constinit std::array<Note, 64> notes{};
constinit std::size_t written = 0;

/// A fixed buffer for the message; text that does not fit is dropped.
class Text {
 public:
  Text& operator<<(const char* s) {
    for (; *s && length_ < sizeof buffer_; ++s) buffer_[length_++] = *s;
    return *this;
  }
  Text& operator<<(std::size_t number) { return put(number, 10); }
  Text& hex(std::uintptr_t number) { return (*this << "0x").put(number, 16); }
  void print() const {
    for (std::size_t done = 0; done < length_;) {
      const ssize_t n = write(STDERR_FILENO, buffer_ + done, length_ - done);
      if (n <= 0) return;
      done += static_cast<std::size_t>(n);
    }
  }

 private:
  Text& put(std::uintptr_t number, int base) {
    char digits[24] = {};
    std::to_chars(digits, digits + sizeof digits - 1, number, base);
    return *this << digits;
  }
  char buffer_[2048] = {};
  std::size_t length_ = 0;
};

enum class Access { kRead, kWrite, kUnknown };

Access access_of([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
  constexpr greg_t kWriteBit = 2;  // of the processor's page fault code
  const auto* state = static_cast<const ucontext_t*>(context);
  return state->uc_mcontext.gregs[REG_ERR] & kWriteBit ? Access::kWrite : Access::kRead;
#else
  return Access::kUnknown;
#endif
}

/// Finds the live block at the address. Another thread may hold the allocator's lock briefly, hence
/// the retries.
bool find_block(int index, std::uintptr_t address, Extent* block) {
  auto& blocks = static_cast<CachingAllocator&>(allocator(Device(kSIM, index)));
  for (int i = 0; i < 10; ++i) {
    if (blocks.find(reinterpret_cast<void*>(address), block)) return true;
    usleep(1000);
  }
  return false;
}

void describe_place(Text& text, int index, std::uintptr_t address) {
  Extent block{};
  text << " at address ";
  text.hex(address);
  if (!find_block(index, address, &block)) {
    text << ", which is in no live block: it was released, or lies beyond the end of one";
    return;
  }
  text << ", byte " << address - reinterpret_cast<std::uintptr_t>(block.data) << " of a block of "
       << block.bytes << " bytes" << describe_block(block.data).data();
}

void describe(Text& text, int index, std::uintptr_t address, Access access) {
  const std::size_t device = static_cast<std::size_t>(index);
  text << "error: ";
  const StreamQueue* queue = StreamQueue::of_this_thread();
  if (queue)
    text << "kernel " << queue->running() << " on sim:" << static_cast<std::size_t>(queue->index())
         << " used an address that is not translated, of memory of sim:" << device;
  else
    text << "host code "
         << (access == Access::kRead    ? "read"
             : access == Access::kWrite ? "wrote to"
                                        : "touched")
         << " memory of sim:" << device;
  describe_place(text, index, address);
  text << ".\n";
  if (queue)
    text << "A kernel finds its memory at sim::kernel_view(index, pointer).\n";
  else if (access == Access::kWrite)
    text << "The host cannot reach the memory of a device. Write on the host and copy: "
            "t.to(\"sim:"
         << device << "\"), or use an operation such as t.fill_(1).\n";
  else
    text << "The host cannot reach the memory of a device. Copy it first: t.cpu() or "
            "t.to(\"cpu\").\n";
}

/// Flushes stdout, because output to a pipe would be lost. Skipped while another thread prints; a
/// fault in here is handled.
void flush_output() {
  if (ftrylockfile(stdout) == 0) fflush_unlocked(stdout);
}

constinit Text report;
std::atomic<pid_t> reporter{0};  // the thread that reports; 0: none yet

[[noreturn]] void end_process() {
  report.print();
  _exit(kExitCode);
}

/// Does what would have happened without this handler.
void pass_on(int signal, siginfo_t* info, void* context) {
  if (previous_action.sa_flags & SA_SIGINFO)
    return previous_action.sa_sigaction(signal, info, context);
  if (previous_action.sa_handler == SIG_DFL || previous_action.sa_handler == SIG_IGN) {
    // After the return the instruction faults again, with the default action.
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    sigaction(signal, &usual, nullptr);
    return;
  }
  previous_action.sa_handler(signal);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const bool real = info->si_code > 0;  // not sent by kill(), where there is no address
  const pid_t me = gettid();
  if (reporter == me) end_process();  // a fault while flushing
  for (int i = 0; real && i < kMaxDevices; ++i) {
    const Arena* arena = existing_arena(i);
    if (!arena || !arena->contains(address)) continue;
    // If another thread was first, that thread ends the process.
    for (pid_t none = 0; !reporter.compare_exchange_strong(none, me); none = 0) pause();
    describe(report, i, address, access_of(context));
    flush_output();
    end_process();
  }
  pass_on(signal, info, context);
}

}  // namespace

void note_block(const void* block, const std::string& words) {
  std::lock_guard<std::mutex> lock(notes_lock);
  Note& note = notes[written++ % notes.size()] = {block, {}};
  words.copy(note.words.data(), note.words.size() - 1);
}

BlockWords describe_block(const void* block) {
  // Another thread may be writing a note; then the report does without.
  std::unique_lock<std::mutex> lock(notes_lock, std::try_to_lock);
  if (!lock) return {};
  for (std::size_t i = 0; i < std::min(written, notes.size()); ++i) {
    const Note& note = notes[(written - 1 - i) % notes.size()];
    if (note.block == block) return note.words;
  }
  return {};
}

void install_fault_reporter() {
  static const bool installed = [] {
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    return sigaction(SIGSEGV, &action, &previous_action) == 0;
  }();
  static_cast<void>(installed);
}

}  // namespace td::sim
