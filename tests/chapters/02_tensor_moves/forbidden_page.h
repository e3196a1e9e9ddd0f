// A page of memory that an answer must not read, between two that it may read. The test of
// move_view uses it. Invariant: a read of the page is noted and then succeeds, so the test can go
// on and say what is wrong.
#pragma once

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <string>

#include "check.h"

/// Three pages, of which the middle one is forbidden. One object at a time.
class ForbiddenPage {
 public:
  ForbiddenPage()
      : memory_(static_cast<char*>(
            mmap(nullptr, 3 * kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    REQUIRE(memory_ != MAP_FAILED);
    forbidden_ = memory_ + kSize;
    struct sigaction action {};
    action.sa_sigaction = &on_fault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &before_);
  }
  ~ForbiddenPage() {
    sigaction(SIGSEGV, &before_, nullptr);
    munmap(memory_, 3 * kSize);
  }
  ForbiddenPage(const ForbiddenPage&) = delete;
  ForbiddenPage& operator=(const ForbiddenPage&) = delete;

  /// The first number of the page, and the first number after it.
  float* begin() const { return reinterpret_cast<float*>(memory_ + kSize); }
  float* end() const { return reinterpret_cast<float*>(memory_ + 2 * kSize); }

  /// Runs `work`, and fails if it read the page.
  template <class Work>
  void expect_unread(Work&& work, const std::string& what) {
    was_read_ = false;
    mprotect(forbidden_, kSize, PROT_NONE);
    work();
    mprotect(forbidden_, kSize, PROT_READ | PROT_WRITE);
    check::expect(!was_read_, what + ": memory was read where the view has no element");
  }

 private:
  static void on_fault(int, siginfo_t* info, void*) {
    const char* at = static_cast<const char*>(info->si_addr);
    if (at < forbidden_ || at >= forbidden_ + kSize) {  // another fault: as without this object
      sigaction(SIGSEGV, &before_, nullptr);
      return;
    }
    was_read_ = true;
    mprotect(forbidden_, kSize, PROT_READ | PROT_WRITE);  // the read is tried again
  }

  static inline const std::size_t kSize = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  static inline char* forbidden_ = nullptr;
  static inline std::atomic<bool> was_read_{false};
  static inline struct sigaction before_ {};
  char* memory_;
};
