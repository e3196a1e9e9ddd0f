// The default group and the functions that use it.
#include "distributed/distributed.h"

#include <cstdlib>
#include <mutex>

#include "distributed/transport/work_queue.h"

namespace td::distributed {
namespace {

std::mutex mutex;
std::shared_ptr<ProcessGroup>& process_default() {
  static auto& group = *new std::shared_ptr<ProcessGroup>;  // outlives main, see set_default_group
  return group;
}
thread_local std::shared_ptr<ProcessGroup> thread_default;

// Starts a call of the default group and waits for it.
template <class... Parameters, class... Arguments>
void run(std::shared_ptr<Work> (ProcessGroup::*call)(Parameters...),
         const Arguments&... arguments) {
  const InlineExecutionGuard inline_execution;
  (default_group().*call)(arguments...)->wait();
}

}  // namespace

void set_default_group(std::shared_ptr<ProcessGroup> group) {
  // A program may end without destroy_process_group. The group must then end before the libraries
  // that it uses. They registered exit handlers when the group was made, and the handler registered
  // last runs first.
  [[maybe_unused]] static const int registered = std::atexit(destroy_process_group);
  {
    std::lock_guard lock(mutex);
    std::swap(process_default(), group);
  }
  // The previous group ends here, outside the lock, because that may take as long as its last work.
}

void set_thread_group(std::shared_ptr<ProcessGroup> group) { thread_default = std::move(group); }

std::shared_ptr<ProcessGroup> default_group_ptr() {
  if (thread_default) return thread_default;
  std::lock_guard lock(mutex);
  TD_CHECK(Error, process_default(),
           "there is no process group yet: call td::distributed::init_process_group(\"gloo\") "
           "first, in a program started by ./course launch -n 2 PROGRAM");
  return process_default();
}

ProcessGroup& default_group() { return *default_group_ptr(); }

bool is_initialized() {
  if (thread_default) return true;
  std::lock_guard lock(mutex);
  return process_default() != nullptr;
}

void destroy_process_group() { set_default_group(nullptr); }

int get_rank() { return default_group().rank(); }
int get_world_size() { return default_group().size(); }

void broadcast(const Tensor& tensor, int root) { run(&ProcessGroup::broadcast, tensor, root); }
void all_reduce(const Tensor& tensor, ReduceOp op) { run(&ProcessGroup::all_reduce, tensor, op); }
void reduce(const Tensor& tensor, int root, ReduceOp op) {
  run(&ProcessGroup::reduce, tensor, root, op);
}
void all_gather(const TensorList& outputs, const Tensor& input) {
  run(&ProcessGroup::all_gather, outputs, input);
}
void reduce_scatter(const Tensor& output, const TensorList& inputs, ReduceOp op) {
  run(&ProcessGroup::reduce_scatter, output, inputs, op);
}
void barrier() { run(&ProcessGroup::barrier); }
void send(const Tensor& tensor, int to, int tag) { run(&ProcessGroup::send, tensor, to, tag); }
void recv(const Tensor& tensor, int from, int tag) { run(&ProcessGroup::recv, tensor, from, tag); }

}  // namespace td::distributed
