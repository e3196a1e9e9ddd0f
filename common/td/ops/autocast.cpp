// See autocast.h. The cache of parameter casts belongs to one thread, as the region does: backward
// runs in the thread that calls it, and a replica's thread computes with a replica's parameters.
#include "td/ops/autocast.h"

#include <unordered_map>

#include "td/autograd/modes.h"
#include "td/autograd/record.h"

namespace td::autocast {
namespace {

// A parameter's cast, and the values it was made of: a parameter that an optimizer has changed
// within the region is cast again. The graph of `result` keeps the parameter alive, so its address,
// the key, belongs to no other tensor meanwhile.
struct Kept {
  Tensor result;
  intrusive_ptr<Storage> memory;
  std::uint32_t version;
};

using Cache = std::unordered_map<const TensorImpl*, Kept, std::hash<const TensorImpl*>,
                                 std::equal_to<const TensorImpl*>,
                                 ObjectAllocator<std::pair<const TensorImpl* const, Kept>>>;
thread_local Cache cache;
thread_local std::uint64_t casts_made = 0;

// True for a parameter, not an activation: several calls of a region will cast it in the same way.
bool is_parameter(const Tensor& t) {
  const AutogradMeta* meta = find_meta(t);
  return t.dtype() == td::kFloat && t.requires_grad() && t.is_leaf() &&
         !(meta && meta->base.defined());
}

// The cast is recorded even under NoGradGuard: a later call of this region that needs gradients
// gets the same cast, and its gradients must pass through it.
Tensor cast_parameter(const Tensor& parameter, ScalarType type) {
  const AutoGradMode recorded(!InferenceMode::is_enabled());
  ++casts_made;
  return parameter.to(type);
}

Tensor cached_cast(const Tensor& parameter, ScalarType type) {
  const TensorImpl& t = parameter.impl();
  const auto found = cache.find(&t);
  if (found != cache.end()) {
    const Kept& kept = found->second;
    if (kept.memory == t.storage && kept.version == t.storage->version() &&
        kept.result.dtype() == type)
      return kept.result;
  }
  Tensor result = cast_parameter(parameter, type);
  cache.insert_or_assign(&t, Kept{result, t.storage, t.storage->version()});
  return result;
}

}  // namespace

void Call::add(const TensorList& arguments) {
  for (const Tensor& argument : arguments) add(argument);
}

void Call::choose(const Rule& rule) {
  for (const Tensor* t : tensors_)
    if (t->defined() && !t->is_cpu()) type_ = t->device().type();
  if (!(mode_.enabled >> static_cast<int>(type_) & 1)) return;
  const ScalarType fast = mode_.dtype[static_cast<int>(type_)];
  policy_ = policy_on(type_, rule);
  TD_CHECK(Error, policy_ != Policy::kBanned, rule.operation, ": refused under autocast on ",
           device_type_name(type_),
           ", because a probability rounded to float16 may be 0 or 1, whose logarithm has no use. "
           "Take ",
           rule.operation,
           "_with_logits of the values before sigmoid() (nn::BCEWithLogitsLoss), or compute it in "
           "float32 where autocast is off.");
  if (policy_ == Policy::kFloat) to_ = td::kFloat;
  if (policy_ == Policy::kLowerPrecision || policy_ == Policy::kPromote) to_ = fast;
  if (policy_ != Policy::kPromote) return;
  for (const Tensor* t : tensors_) {
    if (!eligible(*t) || t->dtype() == fast) continue;
    TD_CHECK(DtypeError, t->dtype() == td::kFloat, rule.operation, ": under autocast to ", fast,
             " an argument is ", t->dtype(), "; expected float32 or ", fast,
             ". Convert it with to(dtype).");
    to_ = td::kFloat;
  }
}

bool Call::eligible(const Tensor& t) const {
  return t.defined() && t.is_floating_point() && t.dtype() != kDouble && t.device().type() == type_;
}

Tensor Call::operator()(const Tensor& argument) const {
  if (!to_ || !eligible(argument) || argument.dtype() == *to_) return argument;
  if (*to_ == td::kFloat || !is_parameter(argument)) return argument.to(*to_);
  const bool keeps = mode_.cache && context().autocast_depth > 0 && !InferenceMode::is_enabled();
  return keeps ? cached_cast(argument, *to_) : cast_parameter(argument, *to_);
}
TensorList Call::operator()(const TensorList& arguments) const {
  TensorList cast;
  for (const Tensor& argument : arguments) cast.push_back((*this)(argument));
  return cast;
}

optional<ScalarType> Call::operator()(const optional<ScalarType>& dtype) const {
  const bool chosen = policy_ == Policy::kFloatOutput && !dtype && eligible(*tensors_[0]);
  return chosen ? td::kFloat : dtype;
}

void clear_cache() { cache.clear(); }
std::uint64_t parameter_casts() { return casts_made; }

}  // namespace td::autocast
