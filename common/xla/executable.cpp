// Compiling and running.
#include "xla/executable.h"

#include "xla/state.h"

namespace td::xla {
namespace {

// Protobuf's way to write a number: seven bits a byte, the lowest first, a bit when more follow.
void append_varint(std::string& bytes, unsigned value) {
  for (; value > 0x7f; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
}

// A field's number and what follows: 0 a number, 2 a length with so many bytes.
void append_field(std::string& bytes, unsigned number, unsigned wire_type) {
  append_varint(bytes, number << 3 | wire_type);
}

}  // namespace

std::string CompileOptions::encode() const {
  TD_CHECK(Error, replicas > 0 && partitions > 0,
           "CompileOptions: there must be at least one replica and one partition, not ", replicas,
           " and ", partitions);
  std::string build, all;
  append_field(build, 4, 0);
  append_varint(build, static_cast<unsigned>(replicas));
  append_field(build, 5, 0);
  append_varint(build, static_cast<unsigned>(partitions));
  append_field(all, 3, 2);
  append_varint(all, static_cast<unsigned>(build.size()));
  return all + build;
}

struct Executable::State {
  State(std::shared_ptr<detail::ClientState> c, abi::LoadedExecutable* l, std::size_t r)
      : client(std::move(c)), loaded(l), replicas(r) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    abi::LoadedArgs args;
    args.executable = loaded;
    client->plugin.call_quietly(abi::Slot::kLoadedExecutableDestroy, args);
  }
  const std::shared_ptr<detail::ClientState> client;
  abi::LoadedExecutable* const loaded;
  const std::size_t replicas;
  std::size_t outputs = 0;
};

Executable Client::compile(const std::string& program, const CompileOptions& options) const {
  return compile(program, options.encode(), options.replicas);
}

Executable Client::compile(const std::string& program, const std::string& encoded_options,
                           int replicas) const {
  TD_CHECK(Error, !encoded_options.empty(),
           "xla: the options of a program are empty, which means 0 replicas, and XLA would end the "
           "process; pass what CompileOptions::encode() gives");
  const std::string format = "mlir";
  abi::Program source;
  source.head.struct_size = sizeof source;
  source.code = program.data();
  source.code_size = program.size();
  source.format = format.data();
  source.format_size = format.size();
  abi::CompileArgs args;
  args.client = state_->client;
  args.program = &source;
  args.options = encoded_options.data();
  args.options_size = encoded_options.size();
  state_->plugin.call(abi::Slot::kClientCompile, args, "Client_Compile");
  auto state = std::make_shared<Executable::State>(state_, args.executable,
                                                   static_cast<std::size_t>(replicas));
  abi::LoadedGetArgs get;
  get.loaded = args.executable;
  state_->plugin.call(abi::Slot::kLoadedExecutableGetExecutable, get,
                      "LoadedExecutable_GetExecutable");
  abi::ExecutableCountArgs count;
  count.executable = get.executable;
  abi::ExecutableArgs destroy;
  destroy.executable = get.executable;
  try {
    state_->plugin.call(abi::Slot::kExecutableNumOutputs, count, "Executable_NumOutputs");
  } catch (...) {
    state_->plugin.call_quietly(abi::Slot::kExecutableDestroy, destroy);
    throw;
  }
  state_->plugin.call_quietly(abi::Slot::kExecutableDestroy, destroy);
  state->outputs = count.count;
  return Executable(std::move(state));
}

std::size_t Executable::num_outputs() const { return state_->outputs; }

Run Executable::start(const std::vector<std::vector<Buffer>>& arguments) const {
  const std::size_t replicas = arguments.size();
  TD_CHECK(Error, replicas == state_->replicas, "xla: the program was compiled for ",
           state_->replicas, " replicas, but there are arguments for ", replicas);
  std::vector<std::vector<abi::Buffer*>> in(replicas),
      out(replicas, std::vector<abi::Buffer*>(state_->outputs));
  std::vector<abi::Buffer* const*> in_lists;
  std::vector<abi::Buffer**> out_lists;
  for (std::size_t r = 0; r < replicas; ++r) {
    TD_CHECK(Error, arguments[r].size() == arguments[0].size(), "xla: replica ", r, " has ",
             arguments[r].size(), " arguments, replica 0 has ", arguments[0].size());
    for (const Buffer& buffer : arguments[r]) {
      TD_CHECK(Error, buffer.defined(), "xla: an argument of replica ", r, " is undefined");
      in[r].push_back(buffer.state_->buffer);
    }
    in_lists.push_back(in[r].data());
    out_lists.push_back(out[r].data());
  }
  Run run;
  run.client_ = state_->client;
  run.arguments_ = arguments;
  run.outputs_.resize(replicas);
  run.done_.resize(replicas);
  abi::ExecuteOptions options;
  options.head.struct_size = sizeof options;
  abi::ExecuteArgs args;
  args.executable = state_->loaded;
  args.options = &options;
  args.arguments = in_lists.data();
  args.num_devices = replicas;
  args.num_arguments = in[0].size();
  args.outputs = out_lists.data();
  args.done = run.done_.data();
  state_->client->plugin.call(abi::Slot::kLoadedExecutableExecute, args,
                              "LoadedExecutable_Execute");
  for (std::size_t r = 0; r < replicas; ++r)
    for (abi::Buffer* buffer : out[r])
      run.outputs_[r].push_back(
          Buffer(std::make_shared<detail::BufferState>(state_->client, buffer)));
  return run;
}

std::vector<Buffer> Executable::run(const std::vector<Buffer>& arguments) const {
  Run run = start({arguments});
  run.wait();
  return run.outputs();
}

void Run::wait() {
  std::exception_ptr first;
  for (abi::Event* event : std::exchange(done_, {})) {
    try {
      client_->plugin.wait(event, "LoadedExecutable_Execute");
    } catch (const XlaError&) {
      if (!first) first = std::current_exception();
    }
  }
  arguments_.clear();
  if (first) std::rethrow_exception(first);
}

Run::~Run() {
  if (done_.empty()) return;
  try {
    wait();
  } catch (const XlaError&) {
  }
}

}  // namespace td::xla
