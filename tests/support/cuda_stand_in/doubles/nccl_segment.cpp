// An anonymous file in memory (man 2 memfd_create), which other processes open under /proc/PID/fd.
#include "doubles/nccl_segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <random>
#include <stdexcept>

namespace cuda_stand_in {
namespace {

// The areas are so far from each other that no operation's data reaches the next.
constexpr int kAreaBits = 40;

struct Address {
  pid_t process;
  int descriptor;
  std::uint64_t token;
};
static_assert(sizeof(Address) <= NCCL_UNIQUE_ID_BYTES);

// A rank that is killed while it holds the mutex must not block the others.
void make_mutex(pthread_mutex_t& mutex) {
  pthread_mutexattr_t shared;
  pthread_mutexattr_init(&shared);
  pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &shared);
  pthread_mutexattr_destroy(&shared);
}

[[noreturn]] void fail(const char* doing) {
  throw std::runtime_error(std::string("the stand-in for NCCL cannot ") + doing + " (" +
                           std::strerror(errno) + ")");
}

const char* name_of(Kind kind) {
  constexpr const char* kNames[] = {"ncclBroadcast", "ncclAllReduce",     "ncclReduce",
                                    "ncclAllGather", "ncclReduceScatter", "ncclSend",
                                    "ncclRecv"};
  return kNames[static_cast<int>(kind)];
}

std::string name_of(ncclDataType_t type) {
  switch (type) {
    case ncclUint8:
      return "uint8";
    case ncclInt32:
      return "int32";
    case ncclInt64:
      return "int64";
    case ncclFloat16:
      return "float16";
    case ncclFloat32:
      return "float32";
    case ncclFloat64:
      return "float64";
    case ncclBfloat16:
      return "bfloat16";
    default:
      return "type " + std::to_string(type);
  }
}

}  // namespace

std::size_t size_of(ncclDataType_t type) {
  if (type == ncclUint8) return 1;
  if (type == ncclFloat16 || type == ncclBfloat16) return 2;
  if (type == ncclInt32 || type == ncclFloat32) return 4;
  return type == ncclInt64 || type == ncclFloat64 ? 8 : 0;
}

std::string describe(const Signature& s) {
  constexpr const char* kOps[] = {"ncclSum", "ncclProd", "ncclMax", "ncclMin", "ncclAvg"};
  std::string text = std::string(name_of(s.kind)) + " of " + std::to_string(s.count) + " x " +
                     name_of(s.type) + " (";
  if (s.kind == Kind::kSend || s.kind == Kind::kRecv)
    return text + "rank " + std::to_string(s.root) + ")";
  if (s.kind == Kind::kAllGather) return text + "all ranks)";
  if (s.kind == Kind::kBroadcast) return text + "root " + std::to_string(s.root) + ")";
  text += kOps[s.op];
  return text + (s.kind == Kind::kReduce ? ", root " + std::to_string(s.root) + ")" : ")");
}

std::unique_ptr<Segment> Segment::map(int descriptor) {
  void* const memory =
      mmap(nullptr, sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) fail("map memory that the ranks share");
  return std::unique_ptr<Segment>(new Segment(descriptor, static_cast<Control*>(memory)));
}

void Segment::make(ncclUniqueId& id) {
  const int descriptor = memfd_create("nccl-stand-in", MFD_CLOEXEC);
  if (descriptor < 0 || ftruncate(descriptor, sizeof(Control)) != 0)
    fail("make memory that the ranks share");
  std::random_device random;
  const Address address{getpid(), descriptor, (std::uint64_t{random()} << 32 | random()) | 1};
  const std::unique_ptr<Segment> segment = map(dup(descriptor));
  Control* const control = new (segment->control_) Control;
  make_mutex(control->mutex);
  control->token = address.token;
  std::memset(&id, 0, sizeof id);
  std::memcpy(&id, &address, sizeof address);
}

std::unique_ptr<Segment> Segment::open(const ncclUniqueId& id) {
  Address address;
  std::memcpy(&address, &id, sizeof address);
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", address.process, address.descriptor);
  const int descriptor = ::open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return nullptr;
  std::uint64_t token = 0;
  if (pread(descriptor, &token, sizeof token, offsetof(Control, token)) != sizeof token ||
      token != address.token || token == 0) {
    close(descriptor);
    return nullptr;
  }
  return map(descriptor);
}

void Segment::forget(const ncclUniqueId& id) {
  Address address;
  std::memcpy(&address, &id, sizeof address);
  const Locked control = lock();
  if (address.process != getpid() || !control->has_name) return;
  close(address.descriptor);
  control->has_name = false;
}

Segment::~Segment() {
  munmap(control_, sizeof(Control));
  close(descriptor_);
}

Segment::Locked::Locked(Control& control) : control_(control) {
  if (pthread_mutex_lock(&control_.mutex) == EOWNERDEAD) pthread_mutex_consistent(&control_.mutex);
}

Segment::Locked::~Locked() { pthread_mutex_unlock(&control_.mutex); }

std::uint64_t Segment::area(int rank, std::uint64_t number) {
  return (std::uint64_t(rank) * 2 + number % 2 + 1) << kAreaBits;
}

std::uint64_t Segment::area_of_pair(int sender, int receiver) {
  return (std::uint64_t(kMostRanks) * std::uint64_t(sender + 2) + std::uint64_t(receiver) + 1)
         << kAreaBits;
}

void Segment::write(std::uint64_t place, const void* data, std::size_t bytes) const {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n = pwrite(descriptor_, static_cast<const char*>(data) + done, bytes - done,
                             static_cast<off_t>(place + done));
    if (n <= 0) fail("write into memory that the ranks share");
    done += static_cast<std::size_t>(n);
  }
}

void Segment::read(std::uint64_t place, void* data, std::size_t bytes) const {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n = pread(descriptor_, static_cast<char*>(data) + done, bytes - done,
                            static_cast<off_t>(place + done));
    if (n <= 0) fail("read memory that the ranks share");
    done += static_cast<std::size_t>(n);
  }
}

}  // namespace cuda_stand_in
