// What the client of td::xla costs a step beyond the plugin's own work: a step of chapter 10's size
// through Executable::start and Run::wait, against the same calls of the interface made by hand
// with everything prepared. Both take turns; prints medians in microseconds.
//   cmake --build --preset release --target bench_xla
//   PJRT_PLUGIN=build/xla/xla_cpu_pjrt.so build/release/tools/bench/bench_xla [rounds]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "td/td.h"
#include "xla/executable.h"

namespace {

using namespace td;
using namespace td::xla;
using Clock = std::chrono::steady_clock;

constexpr const char* kProgram = R"(
module @step {
  func.func public @main(%w: tensor<1x10xf32>, %x: tensor<32x10xf32>)
      -> (tensor<1x10xf32>, tensor<32x1xf32>) {
    %out = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1]
      : (tensor<32x10xf32>, tensor<1x10xf32>) -> tensor<32x1xf32>
    %sum = stablehlo.add %w, %w : tensor<1x10xf32>
    return %sum, %out : tensor<1x10xf32>, tensor<32x1xf32>
  }
}
)";
constexpr std::size_t kOutputs = 2;

// The same step with nothing between it and the plugin.
class ByHand {
 public:
  explicit ByHand(const Plugin& plugin) : plugin_(plugin) {
    abi::ClientCreateArgs create;
    plugin.call(abi::Slot::kClientCreate, create, "Client_Create");
    abi::ClientDevicesArgs devices;
    devices.client = create.client;
    plugin.call(abi::Slot::kClientAddressableDevices, devices, "Client_AddressableDevices");
    const std::string options = CompileOptions{}.encode(), text = kProgram, format = "mlir";
    abi::Program program;
    program.head.struct_size = sizeof program;
    program.code = text.data();
    program.code_size = text.size();
    program.format = format.data();
    program.format_size = format.size();
    abi::CompileArgs compile;
    compile.client = create.client;
    compile.program = &program;
    compile.options = options.data();
    compile.options_size = options.size();
    plugin.call(abi::Slot::kClientCompile, compile, "Client_Compile");
    executable_ = compile.executable;
    for (std::int64_t rows : {1, 32}) {
      const Tensor values = ones({rows, 10});
      abi::FromHostArgs args;
      args.type = abi::Type::kF32;
      args.client = create.client;
      args.data = values.data_ptr();
      args.dims = values.sizes().data();
      args.num_dims = 2;
      args.device = devices.devices[0];
      plugin.call(abi::Slot::kClientBufferFromHostBuffer, args, "Client_BufferFromHostBuffer");
      plugin.wait(args.done, "Client_BufferFromHostBuffer");
      arguments_.push_back(args.buffer);
    }
  }

  void step() {
    abi::Buffer* outputs[kOutputs] = {};
    abi::Buffer** output_list = outputs;
    abi::Buffer* const* argument_list = arguments_.data();
    abi::Event* done = nullptr;
    abi::ExecuteOptions options;
    options.head.struct_size = sizeof options;
    abi::ExecuteArgs args;
    args.executable = executable_;
    args.options = &options;
    args.arguments = &argument_list;
    args.num_devices = 1;
    args.num_arguments = arguments_.size();
    args.outputs = &output_list;
    args.done = &done;
    plugin_.call(abi::Slot::kLoadedExecutableExecute, args, "LoadedExecutable_Execute");
    plugin_.wait(done, "LoadedExecutable_Execute");
    for (abi::Buffer* buffer : outputs) {
      abi::BufferArgs destroy;
      destroy.buffer = buffer;
      plugin_.call(abi::Slot::kBufferDestroy, destroy, "Buffer_Destroy");
    }
  }

 private:
  const Plugin plugin_;
  abi::LoadedExecutable* executable_ = nullptr;
  std::vector<abi::Buffer*> arguments_;
};

template <class Step>
double microseconds(const Step& step) {
  constexpr int kSteps = 200;
  const auto start = Clock::now();
  for (int i = 0; i < kSteps; ++i) step();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / kSteps;
}

double median(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) try {
  setenv("TF_CPP_MIN_LOG_LEVEL", "1", 0);
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 25;
  const Plugin plugin = Plugin::load(find_plugin());
  ByHand by_hand(plugin);
  const Client client(plugin);
  const Executable program = client.compile(kProgram, {});
  const std::vector<std::vector<Buffer>> arguments = {
      {client.to_device(ones({1, 10})), client.to_device(ones({32, 10}))}};
  std::vector<double> raw, ours, more;
  for (int round = 0; round < rounds; ++round) {
    raw.push_back(microseconds([&] { by_hand.step(); }));
    ours.push_back(microseconds([&] { program.start(arguments).wait(); }));
    more.push_back(ours.back() - raw.back());
  }
  std::printf("a step by hand %.1f us, by td::xla %.1f us; the client's share %.1f us\n",
              median(raw), median(ours), median(more));
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
