// From a finished gradient to the average, one backward pass after another.
#include "distributed/ddp/reducer.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "distributed/ddp/model_exchange.h"
#include "distributed/transport/work_queue.h"
#include "td/autograd/engine.h"
#include "td/autograd/modes.h"
#include "td/autograd/record.h"

namespace td::distributed {
namespace {

std::size_t bytes(const char* name, double mb) {
  TD_CHECK(Error, mb > 0, "DistributedDataParallel: ", name, " must be more than 0, got ", mb);
  return static_cast<std::size_t>(mb * (1 << 20));
}

// The parameters, by number, that none of `outputs` depends on: a walk over the graph.
std::vector<std::size_t> unreached_parameters(const TensorList& parameters,
                                              const TensorList& outputs) {
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> to_visit;
  const auto reach = [&](const Node* node) {
    if (node && seen.insert(node).second) to_visit.push_back(node);
  };
  for (const Tensor& output : outputs) reach(gradient_edge(output).node.get());
  while (!to_visit.empty()) {
    const Node* node = to_visit.back();
    to_visit.pop_back();
    for (const Edge& edge : node->edges) reach(edge.node.get());
  }
  std::vector<std::size_t> unreached;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (!seen.count(gradient_edge(parameters[i]).node.get())) unreached.push_back(i);
  return unreached;
}

}  // namespace

Reducer::Reducer(std::vector<std::string> names, TensorList parameters,
                 std::shared_ptr<ProcessGroup> group, DistributedDataParallelOptions options)
    : names_(std::move(names)),
      parameters_(std::move(parameters)),
      group_(std::move(group)),
      options_(std::move(options)),
      alone_(parameters_[0].device().is_cuda() && !options_.find_unused_parameters()),
      active_(group_->size()),
      accumulated_(parameters_.size()) {
  // The order until the true one is known: the backward pass begins with the layers used last.
  std::vector<std::size_t> order(parameters_.size());
  std::iota(order.rbegin(), order.rend(), 0);
  build_buckets(order);
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    hook_numbers_.push_back(parameters_[i].register_post_accumulate_grad_hook(
        [this, i](const Tensor&) { gradient_finished(i); }));
}

Reducer::~Reducer() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) parameters_[i].remove_hook(hook_numbers_[i]);
}

void Reducer::build_buckets(const std::vector<std::size_t>& order) {
  NoGradGuard no_grad;
  for (const Tensor& p : parameters_)  // the old buckets' values must not be lost
    if (Tensor& g = meta_of(p).grad; g.defined() && g.is_same(meta_of(p).grad_buffer))
      g = g.clone();
  buckets_.clear();
  locators_.resize(parameters_.size());
  for (auto& numbers :
       assign_buckets(parameters_, order, bytes("first_bucket_mb", options_.first_bucket_mb()),
                      bytes("bucket_cap_mb", options_.bucket_cap_mb()))) {
    TensorList members;
    for (const std::size_t number : numbers) members.push_back(parameters_[number]);
    const TensorOptions options =
        TensorOptions().dtype(members[0].dtype()).device(members[0].device());
    Tensor memory = group_->empty_shared(Bucket::elements(members), options);
    buckets_.push_back(std::make_unique<Bucket>(std::move(numbers), std::move(members),
                                                std::move(memory),
                                                options_.gradient_as_bucket_view()));
    Bucket& bucket = *buckets_.back();
    bucket.gradients().index = buckets_.size() - 1;
    for (std::size_t i = 0; i < bucket.numbers().size(); ++i)
      locators_[bucket.numbers()[i]] = {&bucket, i};
  }
  buckets_.back()->gradients().is_last = true;
}

void Reducer::register_comm_hook(CommHook hook) {
  TD_CHECK(Error, !hook_, "register_comm_hook: there is one already; a bucket is sent once");
  hook_ = std::move(hook);
}

void Reducer::prepare_for_forward(int root) {
  // Where parameters may be left out, the order of one backward pass says nothing about the next.
  if (!order_known_ || rebuilds_ > 0 || options_.find_unused_parameters()) return;
  ++rebuilds_;
  std::vector<std::int64_t> mine(order_.begin(), order_.end());
  mine.resize(parameters_.size());
  const auto order = all_gather_numbers(*group_, mine, parameters_[0].device())[root];
  build_buckets({order.begin(), order.end()});
}

void Reducer::prepare_for_backward(bool averages, const TensorList& outputs, int active) {
  TD_CHECK(AutogradError, phase_ != Phase::kBackward,
           "DistributedDataParallel: the last backward ended with an error while gradients were on "
           "their way, so the ranks are out of step; let the error end the program on every rank");
  // Others may come between a forward pass that averages and its backward pass.
  if (!averages && averages_ && phase_ == Phase::kForwardDone) return;
  phase_ = Phase::kForwardDone;
  averages_ = averages;
  active_ = active;
  unreached_.clear();
  if (averages && options_.find_unused_parameters() && !outputs.empty())
    unreached_ = unreached_parameters(parameters_, outputs);
}

// The hook of every parameter.
void Reducer::gradient_finished(std::size_t number) {
  if (phase_ == Phase::kIdle) {
    accumulated_[number] = true;
    if (in_no_sync) return;
    fail<AutogradError>(
        "DistributedDataParallel: a second backward without a forward in between, so \"",
        names_[number],
        "\" would get a gradient that is not averaged and the ranks would diverge. Call the "
        "wrapped module's forward first, add the losses and call backward once, or keep forward "
        "and backward inside no_sync()");
  }
  if (!averages_) {
    accumulated_[number] = true;
    return;
  }
  TD_CHECK(AutogradError, !GradMode::is_enabled(),
           "DistributedDataParallel: backward with create_graph = true is not supported: the "
           "averages have no graph. Use autograd::grad on the module that is wrapped");
  if (phase_ == Phase::kForwardDone) begin_backward();
  if (!order_known_) order_.push_back(number);
  add(number, true);
  launch_complete();
}

void Reducer::begin_backward() {
  phase_ = Phase::kBackward;
  autograd::queue_callback([this] { end_backward(); });
  next_ = 0;
  for (auto& bucket : buckets_) bucket->reset();
  if (!order_known_) order_.clear();
  for (std::size_t number : unreached_) add(number, accumulated_[number]);
}

void Reducer::add(std::size_t number, bool used) {
  const auto& [bucket, place] = locators_[number];
  TD_CHECK(AutogradError, !bucket->has(place), "DistributedDataParallel: \"", names_[number],
           "\" got a gradient twice in one backward, or was thought to be unused and is not. Use "
           "it through the wrapped module's forward only, on one stream");
  const Tensor &parameter = parameters_[number], &buffer = bucket->gradients().buffer;
  TD_CHECK(DeviceError,
           parameter.device() == buffer.device() && parameter.dtype() == buffer.dtype(),
           "DistributedDataParallel: \"", names_[number], "\" is ", parameter.dtype(), " on ",
           parameter.device(), ", but was ", buffer.dtype(), " on ", buffer.device(),
           " when it was wrapped; move and convert a module first, then wrap it");
  bucket->add(place, used);
}

void Reducer::launch_complete() {
  for (; next_ < buckets_.size() && buckets_[next_]->is_complete(); ++next_) {
    // After the last bucket nothing is left to do except to wait for it.
    optional<InlineExecutionGuard> run_inline;
    if (next_ + 1 == buckets_.size()) run_inline.emplace();
    buckets_[next_]->launch(*group_, hook_);
  }
}

// All gradients of this backward pass are there. A parameter without one gets none, but its bucket
// is sent, because the other ranks wait for it.
void Reducer::end_backward() {
  for (std::size_t number = 0; number < parameters_.size(); ++number) {
    const auto& [bucket, place] = locators_[number];
    if (bucket->has(place)) continue;
    if (!order_known_) order_.push_back(number);
    add(number, accumulated_[number]);
  }
  finish(true);
  for (std::size_t number = 0; number < parameters_.size(); ++number) {
    const auto& [bucket, place] = locators_[number];
    if (users_[number] > 0) bucket->give_back(place);
  }
}

// Sends what is complete, and waits until the averages and their users are known.
void Reducer::finish(bool has_batch) {
  NoGradGuard no_grad;
  launch_complete();
  for (auto& bucket : buckets_) {
    bucket->wait();
    if (divide_by_active && active_ != group_->size())
      bucket->gradients().buffer.mul_(static_cast<double>(group_->size()) / active_);
  }
  phase_ = Phase::kIdle;
  order_known_ = true;
  accumulated_.assign(parameters_.size(), false);
  count_users();
  if (!options_.find_unused_parameters()) refuse_unused(has_batch);
}

void Reducer::shadow_backward(int active) {
  active_ = active;
  next_ = 0;
  for (auto& bucket : buckets_) bucket->add_zeros();
  finish(false);
}

void Reducer::count_users() {
  users_.assign(parameters_.size(), active_);
  if (alone_) return;
  for (const auto& bucket : buckets_) bucket->count_users(group_->size(), users_);
}

// All ranks have the same counts of users, so all come to the same decision.
void Reducer::refuse_unused(bool has_batch) {
  const auto is_used = [this](int users) { return users == active_; };
  if (!alone_ && std::all_of(users_.begin(), users_.end(), is_used)) return;
  const std::string mine = has_batch ? unused_here() : std::string();
  if (alone_ && mine.empty()) return;
  std::vector<std::string> unused(static_cast<std::size_t>(group_->rank()) + 1);
  unused.back() = mine;
  if (!alone_) unused = all_gather_text(*group_, mine, parameters_[0].device());
  std::string text;
  for (std::size_t rank = 0; rank < unused.size(); ++rank)
    if (!unused[rank].empty()) text += "\n  rank " + std::to_string(rank) + ": " + unused[rank];
  fail<AutogradError>(
      "DistributedDataParallel: parameters got no gradient in this backward:", text,
      "\nAll ranks must use all parameters for their loss. If some are left out on purpose, pass "
      "find_unused_parameters(true); if they are never trained, call requires_grad_(false) before "
      "the module is wrapped");
}

std::string Reducer::unused_here() const {
  std::string text;
  for (std::size_t number = 0; number < parameters_.size(); ++number) {
    const auto& [bucket, place] = locators_[number];
    if (!bucket->used(place)) text += (text.empty() ? "\"" : ", \"") + names_[number] + "\"";
  }
  return text;
}

}  // namespace td::distributed
