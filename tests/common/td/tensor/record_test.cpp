// Every launch and copy is announced with a name and the memory it reads and writes.
#include "td/device/record.h"
#include "values.h"

using namespace td;

namespace {

struct Seen {
  std::string name;
  std::vector<const void*> reads, writes;
};
std::vector<Seen> seen;

void listen(const Record& record, Device) {
  Seen s{record.name, {}, {}};
  for (int i = 0; i < record.reads; ++i) s.reads.push_back(record.extents[i].data);
  for (int i = 0; i < record.writes; ++i) s.writes.push_back(record.extents[record.reads + i].data);
  seen.push_back(s);
}

}  // namespace

TEST_CASE("launches and copies are records with their memory") {
  const Tensor a = of({1, 2}, "sim:0"), b = of({3, 4}, "sim:0");
  seen.clear();
  Tensor c, home;
  {
    const RecordObserver listening(listen);
    c = a + b;
    home = c.cpu();
  }
  const auto memory = [](const Tensor& t) -> const void* { return t.impl().storage->data(); };
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].name == "add");
  CHECK(seen[0].reads == std::vector<const void*>{memory(a), memory(b)});
  CHECK(seen[0].writes == std::vector<const void*>{memory(c)});
  CHECK(seen[1].name == "copy");
  CHECK(seen[1].reads == std::vector<const void*>{memory(c)});
  CHECK(seen[1].writes == std::vector<const void*>{memory(home)});
}

TEST_CASE("a record that is full says so") {
  Record record("crowd");
  for (int i = 0; i < Record::kMaxExtents - 1; ++i) record.reads_from(nullptr, 1);
  record.writes_to(nullptr, 1);
  CHECK_THROWS_WITH(record.writes_to(nullptr, 1),
                    "crowd: a record holds the extents of 64 tensors; divide the work into several "
                    "launches");
  CHECK(record.reads == 63);
  CHECK(record.writes == 1);
}
