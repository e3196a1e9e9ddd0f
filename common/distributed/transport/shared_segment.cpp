// An anonymous file in memory (man 2 memfd_create): not limited by the size of /dev/shm, which is
// 64 MiB in many containers, and opened by others under /proc/PID/fd. Also how the ranks of a host
// share such files.
#include "distributed/transport/shared_segment.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <utility>

#include "td/base/error.h"

namespace td::distributed {
namespace {

// Address space that every segment takes in every process. It is not memory yet.
constexpr std::size_t kSpan = std::size_t{32} << 30;
// Allocations begin on a page, so that ranks do not share one.
constexpr std::size_t kPage = 4096;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

// Identifies a segment. Its path may be another file where processes have other numbers.
std::pair<dev_t, ino_t> identity(const FileDescriptor& file) {
  struct stat status {};
  fstat(file.get(), &status);
  return {status.st_dev, status.st_ino};
}

std::string reason() { return std::strerror(errno); }

static_assert(std::atomic<std::uint32_t>::is_always_lock_free &&
              sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

// How often a wait checks (some ten nanoseconds each) before it yields the core, and how often it
// yields before it sleeps.
constexpr int kLooks = 200, kOffers = 50;
// A thread that used the core for longer than this is computing, perhaps this rank's own backward
// pass. It would use it again and again; a sleeping thread is woken in time.
constexpr std::chrono::microseconds kTaken(50);
// No thread sleeps longer without checking `stop`, which may change just before the sleep.
constexpr timespec kLongestSleep{0, 20'000'000};

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Yields the core to other threads.
bool core_is_wanted() {
  const auto before = std::chrono::steady_clock::now();
  sched_yield();
  return std::chrono::steady_clock::now() - before > kTaken;
}

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) {
  syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

}  // namespace

std::shared_ptr<SharedSegment> SharedSegment::make(std::size_t bytes) {
  std::shared_ptr<SharedSegment> segment(new SharedSegment(memfd_create("td-ranks", MFD_CLOEXEC)));
  const std::size_t span = std::min(kSpan, file_size_limit() / kPage * kPage);
  TD_CHECK(Error, segment->descriptor_ && segment->map(span), "shared memory cannot be mapped (",
           reason(), "); see the limit of ulimit -v");
  TD_CHECK(Error, segment->allocate(bytes), "there is no room for ", format_bytes(bytes),
           " of shared memory (", reason(), "); see the limit of ulimit -f");
  const auto [device, inode] = identity(segment->descriptor_);
  std::ostringstream address;
  address << "/proc/" << getpid() << "/fd/" << segment->descriptor_.get() << ' ' << span << ' '
          << device << ' ' << inode;
  segment->address_ = address.str();
  return segment;
}

std::shared_ptr<SharedSegment> SharedSegment::open(const std::string& address) {
  std::istringstream text(address);
  std::string path;
  std::size_t span = 0;
  std::pair<dev_t, ino_t> file;
  text >> path >> span >> file.first >> file.second;
  std::shared_ptr<SharedSegment> segment(
      new SharedSegment(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)));
  TD_CHECK(Error, segment->descriptor_, "cannot open ", path, " (", reason(), ')');
  TD_CHECK(Error, identity(segment->descriptor_) == file, path,
           " is not a segment of this program");
  TD_CHECK(Error, segment->map(span), "cannot map ", path, " (", reason(), ')');
  segment->address_ = address;
  return segment;
}

SharedSegment::~SharedSegment() {
  if (data_) munmap(data_, span_);
}

bool SharedSegment::map(std::size_t span) {
  void* const memory =
      mmap(nullptr, span, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor_.get(), 0);
  if (memory == MAP_FAILED) return false;
  madvise(memory, span, MADV_DONTDUMP);
  data_ = static_cast<char*>(memory);
  span_ = span;
  return true;
}

void* SharedSegment::allocate(std::size_t bytes) {
  std::lock_guard lock(mutex_);
  if (bytes > span_ - used_) {
    errno = EFBIG;
    return nullptr;
  }
  const auto from = static_cast<off_t>(used_), length = static_cast<off_t>(whole_pages(bytes));
  // Pages must be allocated now: at their first use "no more memory" would be a signal, not a
  // return value.
  int failed = 0;
  do failed = fallocate(descriptor_.get(), 0, from, length);
  while (failed && errno == EINTR);
  if (failed) return nullptr;
  used_ += static_cast<std::size_t>(length);
  return data_ + from;
}

void SharedSegment::release(void* memory, std::size_t bytes) {
  // A failure here is harmless: all memory is freed when the last process ends.
  (void)fallocate(descriptor_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset_of(memory),
                  static_cast<off_t>(whole_pages(bytes)));
}

std::ptrdiff_t SharedSegment::offset_of(const void* memory) const {
  const auto begin = reinterpret_cast<std::uintptr_t>(data_);
  const auto place = reinterpret_cast<std::uintptr_t>(memory);
  return place >= begin && place - begin < span_ ? static_cast<std::ptrdiff_t>(place - begin) : -1;
}

bool SharedCounter::reached(std::uint32_t target) const {
  return static_cast<std::int32_t>(value_.load(std::memory_order_acquire) - target) >= 0;
}

void SharedCounter::advance() {
  // Ordered with a sleeper's announcement: the sleeper sees the new value, or it is seen here.
  value_.store(value_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst)) wake();
}

void SharedCounter::wake() { futex(value_, FUTEX_WAKE, INT_MAX, nullptr); }

bool SharedCounter::wait_for(std::uint32_t target, const std::atomic<bool>& stop) {
  for (int look = 0; look < kLooks; ++look, pause())
    if (reached(target)) return true;
  for (int offer = 0; offer < kOffers && !core_is_wanted(); ++offer)
    if (reached(target)) return true;
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  while (!stop.load(std::memory_order_acquire)) {
    const std::uint32_t seen = value_.load(std::memory_order_seq_cst);
    if (static_cast<std::int32_t>(seen - target) >= 0) break;
    futex(value_, FUTEX_WAIT, seen, &kLongestSleep);
  }
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
  return reached(target);
}

// ---- joining ----

namespace {

std::string why_not_by_facts(const std::vector<HostInfo>& hosts) {
  for (std::size_t r = 1; r < hosts.size(); ++r) {
    if (same_host(hosts[0], hosts[r])) continue;
    if (hosts[0].hostname != hosts[r].hostname)
      return "rank 0 is on host " + hosts[0].hostname + ", rank " + std::to_string(r) + " on " +
             hosts[r].hostname;
    return "rank " + std::to_string(r) +
           " is in another container or on another machine than "
           "rank 0, though both hosts are named " +
           hosts[0].hostname;
  }
  return {};
}

// The error of the first rank that reports one, in the order of ranks.
std::string first_of(const std::vector<std::string>& faults) {
  for (std::size_t r = 0; r < faults.size(); ++r)
    if (!faults[r].empty()) return "rank " + std::to_string(r) + ": " + faults[r];
  return {};
}

}  // namespace

SharedMemory join_shared_memory(const Member& member) {
  const int rank = member.rank, size = member.size();
  if (std::string why = why_not_by_facts(member.hosts); !why.empty())
    return {nullptr, std::move(why)};
  std::string fault;
  std::vector<std::shared_ptr<SharedSegment>> segments(member.hosts.size());
  const auto attempt = [&](auto step) {
    try {
      step();
    } catch (const Error& e) {
      fault = e.what();
    }
  };
  attempt([&] { segments[rank] = SharedSegment::make(shm_segment_bytes(size)); });
  // No rank can open a segment that a rank could not make; that rank's own error is reported.
  const auto addresses = member.exchange(segments[rank] ? segments[rank]->address() : "");
  attempt([&] {
    for (int r = 0; r < size && segments[rank]; ++r)
      if (r != rank && !addresses[r].empty()) segments[r] = SharedSegment::open(addresses[r]);
  });
  if (std::string why = first_of(member.exchange(fault)); !why.empty())
    return {nullptr, std::move(why)};
  return {make_shm_transport(rank, std::move(segments)), {}};
}

}  // namespace td::distributed
