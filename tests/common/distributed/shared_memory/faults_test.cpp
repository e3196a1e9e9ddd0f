// What ends a wait in shared memory, and which ranks may share it.
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>

#include "catch.h"
#include "shared_ranks.h"

using namespace td;
using namespace td::distributed;

namespace {

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<SharedMemory> join(const std::vector<HostInfo>& hosts) {
  Table table(static_cast<int>(hosts.size()));
  std::vector<SharedMemory> joined(hosts.size());
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < hosts.size(); ++r)
    threads.emplace_back([&, r] {
      const int rank = static_cast<int>(r);
      joined[r] = join_shared_memory(
          {rank, hosts, [&](const std::string& mine) { return table.exchange(rank, mine); }});
    });
  for (auto& thread : threads) thread.join();
  return joined;
}

}  // namespace

TEST_CASE("a rank that waits in shared memory is woken when the group fails") {
  const std::function<void(ProcessGroupHost&)> waits[] = {
      [](ProcessGroupHost& group) { group.barrier()->wait(); },
      [](ProcessGroupHost& group) {
        Tensor t = zeros({100000});
        group.all_reduce(t)->wait();
      },
      [](ProcessGroupHost& group) { group.recv(zeros({4}), 1)->wait(); },
      [](ProcessGroupHost& group) { group.send(zeros({4}), 1)->wait(); },
  };
  for (const auto& wait : waits) {
    std::vector<std::string> errors;
    const double seconds = seconds_of([&] {
      errors = run_shared(3, Views::kOne, [&](ProcessGroupHost& group) {
        if (group.rank() != 1) return wait(group);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));  // the others are asleep
        throw Error("rank 1 has been killed");
      });
    });
    CHECK(errors == std::vector<std::string>(3, "rank 1 has been killed"));
    CHECK(seconds < 5);
  }
}

TEST_CASE("a transport that failed accepts no more calls") {
  const auto transports = shm_transports(2, Views::kOwn);
  transports[0]->abort("rank 1 is gone");
  transports[0]->abort("a second reason");
  CollectiveFingerprint key;
  float x = 0;
  key.peer = 1;
  CHECK_THROWS_WITH(transports[0]->barrier(key), "rank 1 is gone");
  CHECK_THROWS_WITH(transports[0]->send(key, &x), "rank 1 is gone");
  CHECK_THROWS_WITH(transports[0]->receive(key, &x), "rank 1 is gone");
}

TEST_CASE("mismatched calls are the same error on every rank, and end the transport") {
  const auto transports = shm_transports(2, Views::kOwn);
  std::vector<std::string> texts(4);
  const auto run = [&](int rank) {
    float data[4] = {};
    CollectiveFingerprint key;
    key.sequence = 1;
    key.numel = rank ? 4 : 3;
    key.type = CollectiveType::kAllReduce;
    for (int call = 0; call < 2; ++call) try {
        transports[rank]->all_reduce(key, data);
      } catch (const DistributedError& e) {
        texts[2 * rank + call] = e.what();
      }
  };
  std::thread other(run, 1);
  run(0);
  other.join();
  CHECK(texts[0] ==
        "the ranks do not make the same call: rank 0 makes all_reduce #1 (sum, 3 x float32), rank "
        "1 makes all_reduce #1 (sum, 4 x float32). All ranks must call the same collectives in the "
        "same order, with as many elements of the same type");
  CHECK(texts == std::vector<std::string>(4, texts[0]));
}

TEST_CASE("a send and a recv that differ are an error on both sides") {
  const auto sizes = run_shared(2, Views::kOwn, [](ProcessGroupHost& group) {
    if (group.rank() == 0) group.send(zeros({4}), 1)->wait();
    if (group.rank() == 1) group.recv(zeros({5}), 0)->wait();
  });
  CHECK(sizes[0] ==
        "rank 0 makes send (to rank 1, 4 x float32), but rank 1 makes recv (from rank 0, 5 x "
        "float32); both need as many elements of the same type");
  CHECK(sizes[1] == sizes[0]);
  const auto tags = run_shared(2, Views::kOwn, [](ProcessGroupHost& group) {
    if (group.rank() == 0) group.send(zeros({4}), 1, 7)->wait();
    if (group.rank() == 1) group.recv(zeros({4}), 0)->wait();
  });
  CHECK(tags[0] ==
        "rank 0 makes send (to rank 1, 4 x float32, tag 7), but rank 1 makes recv (from rank 0, 4 "
        "x float32); both need the same tag");
  CHECK(tags[1] == tags[0]);
}

TEST_CASE("ranks of two hosts do not share memory, and all get the reason") {
  const HostInfo here = read_host_info();
  HostInfo other = here, container = here;
  other.hostname = "beta";
  container.network_namespace = "net:[1]";
  for (const auto& joined : join({here, here, other})) {
    CHECK_FALSE(joined.transport);
    CHECK(joined.why_not == "rank 0 is on host " + here.hostname + ", rank 2 on beta");
  }
  for (const auto& joined : join({here, container})) {
    CHECK_FALSE(joined.transport);
    CHECK(joined.why_not ==
          "rank 1 is in another container or on another machine than rank 0, "
          "though both hosts are named " +
              here.hostname);
  }
}

TEST_CASE("without room for shared memory all ranks get an error and are not killed") {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1 << 16, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const HostInfo here = read_host_info();
  const auto joined = join({here, here});
  setrlimit(RLIMIT_FSIZE, &before);
  for (const auto& rank : joined) {
    CHECK_FALSE(rank.transport);
    CHECK(rank.why_not.find("rank 0: there is no room for ") == 0);
    CHECK(rank.why_not.find("see the limit of ulimit -f") != std::string::npos);
  }
}

TEST_CASE("a tensor that does not fit in shared memory is stored elsewhere, and is reduced") {
  const auto transports = shm_transports(2, Views::kOwn);
  CHECK(transports[0]->allocate_shared(std::size_t{1} << 40) == nullptr);
  const auto small = transports[0]->allocate_shared(100);
  REQUIRE(small != nullptr);
  CHECK(transports[0]->allocate_shared(100) != small);
}

TEST_CASE("the memory of a destroyed tensor is returned to the system") {
  const auto segment = SharedSegment::make(shm_segment_bytes(1));
  ProcessGroupHost group(0, 1, make_shm_transport(0, std::vector{segment}));
  const std::string path = segment->address().substr(0, segment->address().find(' '));
  const auto held = [&] {  // not what the file could be, but what it is
    struct stat status {};
    return stat(path.c_str(), &status) == 0 ? status.st_blocks * 512 : -1;
  };
  const std::int64_t before = held();
  {
    Tensor t = group.empty_shared(1 << 20, kFloat);
    t.fill_(1.0);
    CHECK(held() >= before + (4 << 20));
  }
  CHECK(held() == before);
}

TEST_CASE("text that is not an address does not open a segment") {
  const auto segment = SharedSegment::make(8192);
  CHECK(SharedSegment::open(segment->address())->data() != segment->data());
  CHECK_THROWS_WITH(SharedSegment::open("/proc/1/fd/99999 4096 1"), Catch::Contains("cannot open"));
  CHECK_THROWS_WITH(SharedSegment::open("/dev/null 4096 1"),
                    "/dev/null is not a segment of this program");
  CHECK_THROWS_WITH(SharedSegment::open(segment->address() + "1"),
                    Catch::Contains("is not a segment of this program"));
}
