// What an observer gets: each access once, with its place, kind and size.
#include <unistd.h>

#include <cstdio>

#include "catch.h"
#include "kernels.h"
#include "marks.h"
#include "simt/run.h"

using namespace td::simt;

namespace {

struct Recorder : Observer {
  struct Event {
    ThreadInfo thread;
    Access access;
  };
  LaunchInfo launch;
  std::vector<Event> events;
  std::vector<std::string> order;  // of all reports except accesses

  void begin_launch(const LaunchInfo& info) override {
    launch = info;
    order.push_back("launch");
  }
  void end_launch(const LaunchInfo&) override { order.push_back("end"); }
  void begin_block(uint3 block) override { order.push_back("block " + std::to_string(block.x)); }
  void end_block() override { order.push_back("end block"); }
  bool access(const ThreadInfo& thread, const Access& access) override {
    events.push_back({thread, access});
    return true;
  }
  void barrier(const Site* site) override {
    order.push_back("barrier " + std::to_string(site->line));
  }

  /// The events at a marked line.
  std::vector<Event> at(const std::string& mark) const {
    std::vector<Event> found;
    for (const Event& event : events)
      if (event.access.site->line == line_of_mark(mark).number &&
          event.access.site->file.ends_with(line_of_mark(mark).file))
        found.push_back(event);
    return found;
  }
};

/// Runs a kernel with pointer parameters on host memory.
template <auto* kernel, class... P>
Recorder record(dim3 grid, dim3 block, P*... pointers) {
  struct Arguments {
    std::tuple<P*...> pointers;
  } arguments{{pointers...}};
  Launch launch;
  launch.kernel = reinterpret_cast<const void*>(kernel);
  launch.call = [](const void* a) {
    std::apply(kernel, static_cast<const Arguments*>(a)->pointers);
  };
  launch.arguments = &arguments;
  launch.info.grid = grid;
  launch.info.block = block;
  Recorder recorder;
  run(launch, &recorder, {});
  return recorder;
}

}  // namespace

TEST_CASE("An observer gets each access of a kernel once, vectors in one piece") {
  alignas(16) float4 in[4];
  float out[4];
  const int index[4] = {3, 2, 1, 0};
  const Recorder recorder = record<accesses>(1, 4, std::as_const(in), out, index);
  REQUIRE(recorder.events.size() == 12);
  for (unsigned t = 0; t < 4; ++t) {
    const auto* event = &recorder.events[3 * t];
    CHECK(event[0].thread.linear == t);
    CHECK(event[0].access.address == reinterpret_cast<std::uintptr_t>(in + t));
    CHECK(event[0].access.bytes == 16);
    CHECK(event[0].access.kind == AccessKind::kRead);
    CHECK(event[1].access.address == reinterpret_cast<std::uintptr_t>(index + t));
    CHECK(event[1].access.bytes == 4);
    CHECK(event[2].access.address == reinterpret_cast<std::uintptr_t>(out + 3 - t));
    CHECK(event[2].access.kind == AccessKind::kWrite);
    CHECK(event[2].access.space == Space::kGlobal);
  }
  CHECK(recorder.events[0].access.site->function == "accesses");
}

TEST_CASE("Structs and pieces of memory are reported as ranges, reads and writes") {
  float3 in[2] = {}, out[2];
  const Recorder structs = record<copy_struct>(1, 2, std::as_const(in), out);
  std::size_t read = 0, written = 0;
  for (const auto& event : structs.events)
    (event.access.kind == AccessKind::kRead ? read : written) += event.access.bytes;
  CHECK(read == 24);
  CHECK(written == 24);

  float from[16] = {1, 2, 3}, to[16];
  const Recorder memory = record<copy_memory>(1, 1, std::as_const(from), to);
  REQUIRE(memory.events.size() == 3);
  CHECK(memory.events[0].access.bytes == 64);
  CHECK(memory.events[0].access.kind == AccessKind::kRead);
  CHECK(memory.events[1].access.bytes == 64);
  CHECK(memory.events[2].access.bytes == 4);
  CHECK(to[0] == 0);
  CHECK(to[1] == 2);
}

TEST_CASE("A place is the innermost line of the learner's file, also in functions") {
  float in[2] = {1, 2}, out[2];
  const Recorder recorder = record<device_function>(1, 2, std::as_const(in), out);
  REQUIRE(recorder.at("load").size() == 2);
  CHECK(recorder.at("load")[0].access.site->function == "load");
  REQUIRE(recorder.at("load_inline").size() == 2);
  CHECK(recorder.at("load_inline")[0].access.site->function == "load_inline");
  REQUIRE(recorder.at("store").size() == 2);
  CHECK(recorder.at("store")[0].access.site->function == "device_function");
  CHECK(recorder.at("store")[0].access.site == recorder.at("store")[1].access.site);
  CHECK(recorder.events.size() == 6);
}

TEST_CASE("Barriers, blocks and shared variables are reported in order") {
  float in[256] = {}, out[2];
  struct Sum {
    static void run(const float* from, float* to) { block_sum(from, to, 256); }
  };
  Recorder recorder;
  Launch launch;
  std::pair<const float*, float*> arguments{in, out};
  launch.kernel = reinterpret_cast<const void*>(&block_sum);
  launch.arguments = &arguments;
  launch.call = [](const void* a) {
    const auto& [from, to] = *static_cast<const std::pair<const float*, float*>*>(a);
    Sum::run(from, to);
  };
  launch.info.grid = dim3(1);
  launch.info.block = dim3(256);
  run(launch, &recorder, {});
  REQUIRE(recorder.order.size() == 4 + 9);
  CHECK(recorder.order[0] == "launch");
  CHECK(recorder.order[1] == "block 0");
  CHECK(recorder.order[2] == "barrier " + std::to_string(line_of_mark("block_sum barrier").number));
  CHECK(recorder.order.back() == "end");
  const SharedVariable* s = nullptr;
  for (const auto& variable : recorder.launch.shared)
    if (variable.name == "s") s = &variable;
  REQUIRE(s);
  CHECK(s->type == "float");
  CHECK(s->element_size == 4);
  CHECK(s->bytes == 1024);
  CHECK(s->begin % 4 == 0);
  REQUIRE(recorder.launch.site);
  CHECK(recorder.launch.site->function == "block_sum");
  std::size_t shared = 0;
  for (const auto& event : recorder.events)
    if (event.access.space == Space::kShared) {
      CHECK(&recorder.launch.shared[event.access.variable] == s);
      ++shared;
    }
  CHECK(shared == 256 + 3 * 255 + 1);  // stores; two loads and a store per addition; the result
}

TEST_CASE("printf prints in the order in which threads run") {
  std::fflush(stdout);
  std::FILE* const file = std::tmpfile();
  const int screen = dup(STDOUT_FILENO);
  dup2(fileno(file), STDOUT_FILENO);
  int out[1];
  record<say>(2, 2, out);
  std::fflush(stdout);
  dup2(screen, STDOUT_FILENO);
  close(screen);
  std::rewind(file);
  std::string text(200, 0);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  CHECK(text ==
        "thread 0 of block 0\nthread 1 of block 0\nthread 0 of block 1\nthread 1 of block 1\n");
}
