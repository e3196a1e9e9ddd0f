// The meaning of a case's name, and the cases of a machine.
#include <set>

#include "catch.h"
#include "td/base/parallel.h"
#include "work/cases.h"

using timing::Case;
using timing::Method;
using timing::parse_case;

TEST_CASE("the name of a case holds all its settings", "[cases]") {
  const Case plain = parse_case("lenet/cpu");
  CHECK(plain.work->title == "LeNet, training step");
  CHECK(plain.device == td::kCPU);
  CHECK((plain.devices == 1 && plain.method == Method::kSingle && !plain.one_thread));
  CHECK((!plain.amp && !plain.pinned && !plain.graph));
  const Case several = parse_case("mlp/sim:4/data_parallel/amp:bfloat16/pinned");
  CHECK((several.device == td::kSIM && several.devices == 4));
  CHECK(several.method == Method::kDataParallel);
  CHECK((several.amp == td::kBFloat16 && several.pinned));
  const Case gpu = parse_case("cifar/cuda/amp:float16/graph");
  CHECK((gpu.device == td::kCUDA && gpu.amp == td::kHalf && gpu.graph));
  CHECK(parse_case("cifar/cpu:2/ddp").method == Method::kDdp);
  CHECK(parse_case("cifar/cpu/1thread").one_thread);
}

TEST_CASE("an invalid name is an error with the part and what was expected", "[cases]") {
  const auto refused = [](const char* name, const char* text) {
    CHECK_THROWS_WITH(parse_case(name), Catch::Contains(text));
  };
  refused("resnet/cpu",
          "no workload \"resnet\"; expected copy, matmul, simple, lenet, cifar or mlp");
  refused("lenet", "\"\" is no device; expected cpu, sim or cuda");
  refused("lenet/tpu", "lenet/tpu: \"tpu\" is no device");
  refused("lenet/sim:9/ddp", "\"sim:9\" is no device; expected cpu, sim or cuda, with 1 to 8");
  refused("lenet/sim:/ddp", "\"sim:\" is no device");
  refused("lenet/cpu/amp:int8", "there is no setting \"amp:int8\"; expected data_parallel, ddp");
  refused("lenet/sim:2", "several devices need data_parallel or ddp");
  refused("lenet/sim/ddp", "one device takes neither");
}

TEST_CASE("the cases of this machine differ from each other and fit the machine", "[cases]") {
  std::set<std::string> names;
  for (const Case& c : timing::cases_here()) {
    INFO(c.name);
    CHECK(names.insert(c.name).second);
    CHECK(c.name.find(":N") == c.name.npos);
    if (c.device != td::kCPU) CHECK(c.devices <= td::device_count(c.device));
    CHECK((threads_of(c) >= 1 && threads_of(c) <= td::core_count()));
    CHECK(estimate(c, 1) >= 1);
  }
  CHECK(names.count("simple/cpu") == 1);
  CHECK(names.count("lenet/sim:2/data_parallel") == (td::device_count(td::kSIM) > 1));
  for (const timing::Missing& missing : timing::missing_here()) CHECK_FALSE(missing.why.empty());
}

TEST_CASE("units per step follow from the sizes", "[cases]") {
  CHECK(timing::workload("copy").per_step() == 2.0 * (64 << 20));
  CHECK(timing::workload("matmul").per_step() == 2.0 * 1024 * 1024 * 1024);
  CHECK(timing::workload("mlp").per_step() == 128);
}
