// The cost of the client of td::xla per step, beyond the plugin's own work: a step of chapter 10's
// size through Executable::start and Run::wait, against the same calls of the interface made by
// hand with everything prepared. Both run interleaved; prints medians in microseconds.
//   cmake --build --preset release --target bench_xla
//   PJRT_PLUGIN=build/xla/xla_cpu_pjrt.so build/release/tools/bench/bench_xla [rounds]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "td/td.h"
#include "xla/client.h"

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
    plugin.call(abi::kClientCreate, create);
    const auto devices = plugin.ask(abi::kClientAddressableDevices, create.client);
    const std::string options = CompileOptions{}.encode(), text = kProgram, format = "mlir";
    abi::Program program;
    program.head.struct_size = sizeof program;
    program.code = {text.data(), text.size()};
    program.format = {format.data(), format.size()};
    abi::CompileArgs compile;
    compile.client = create.client;
    compile.program = &program;
    compile.options = {options.data(), options.size()};
    plugin.call(abi::kClientCompile, compile);
    executable_ = compile.executable;
    for (std::int64_t rows : {1, 32}) {
      const Tensor values = ones({rows, 10});
      abi::FromHostArgs args;
      args.type = abi::Type::kF32;
      args.client = create.client;
      args.data = values.data_ptr();
      args.dims = {values.sizes().data(), 2};
      args.device = devices.data[0];
      plugin.call(abi::kClientBufferFromHostBuffer, args);
      plugin.wait(args.done, abi::kClientBufferFromHostBuffer.name);
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
    plugin_.call(abi::kLoadedExecutableExecute, args);
    plugin_.wait(done, abi::kLoadedExecutableExecute.name);
    for (abi::Buffer* buffer : outputs) plugin_.destroy(abi::kBufferDestroy, buffer);
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
