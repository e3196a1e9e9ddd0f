// nll_loss and cross_entropy_loss: losses of class numbers, one fused pass over the rows of classes
// in each direction. No probabilities are stored; the backward pass computes them again from the
// row's log-sum.
//
// With weights w, target t, smoothing e over C classes and L = log(sum(exp(x))):
//   loss = (1 - e) * w[t] * (L - x[t]) + e / C * sum over c of w[c] * (L - x[c])
// and for nll_loss, whose input already is a logarithm, L = 0.
#include "td/kernels/index_kernel.h"
#include "td/kernels/rows.h"
#include "td/kernels/scalar_math.h"
#include "td/ops/norm/channels.h"
#include "td/ops/op.h"

namespace td {
namespace {

constexpr Op nll_op{"nll_loss", {"input", "target", "weight"}, 2};
constexpr Op cross_op{"cross_entropy", {"input", "target", "weight"}, 2};

using scalar_math::exp;
using std::log;

/// What distinguishes the losses of classes.
struct ClassLoss {
  std::int64_t ignore_index;  ///< targets with this value are ignored
  double label_smoothing;
  bool from_log;  ///< the input holds log-probabilities (nll_loss)
  bool mean;      ///< divide by the sum of the weights
};

/// What both directions need. x is dense [N, C, ...], target [N, ...]; weight [C] may be undefined.
struct Classes {
  Tensor x, target, weight;
  ClassLoss kind;
};

template <class T>
struct ClassRows {
  using C = compute_t<T>;
  RowShape s;
  const T* x;
  const std::int64_t* target;
  const T* weight;  // nullptr: all 1
  ClassLoss kind;

  TD_HD C weight_of(std::int64_t c) const { return weight ? static_cast<C>(weight[c]) : C(1); }
  /// The target of row i; -1 when it is ignored.
  TD_HD std::int64_t target_of(std::int64_t i) const {
    const std::int64_t t = target[i];
    if (t == kind.ignore_index) return -1;
    if (t < 0 || t >= s.n)
      out_of_range(kind.from_log ? "nll_loss" : "cross_entropy", "target", t, s.n);
    return t;
  }
};

template <class T>
struct LossForward {
  using C = compute_t<T>;
  ClassRows<T> r;
  T* losses;
  C* log_sums;
  template <class Row>
  TD_HD void operator()(const Row& row, std::int64_t i) const {
    const T* in = r.x + r.s.start(i);
    const std::int64_t step = step_of<Row>(r.s);
    const auto value = [&](std::int64_t j) { return static_cast<C>(in[j * step]); };
    C log_sum = 0;
    if (!r.kind.from_log) {
      const auto values = row.read(value);
      const C m = row.max(values);
      log_sum = m + log(row.sum(values, [&](C x) { return exp(x - m); }));
    }
    C smooth = 0;
    const C e = static_cast<C>(r.kind.label_smoothing);
    if (e > 0)
      smooth = row.sum([&](std::int64_t j) { return r.weight_of(j) * (log_sum - value(j)); });
    if (!row.leader) return;
    const std::int64_t t = r.target_of(i);
    log_sums[i] = log_sum;
    losses[i] = static_cast<T>(t < 0 ? C(0)
                                     : (1 - e) * r.weight_of(t) * (log_sum - value(t)) +
                                           e / static_cast<C>(r.s.n) * smooth);
  }
};

// The sum of all losses and of the weights that counted: sums over the elements of one channel.
template <class T>
struct LossTotal {
  using Lane = compute_t<T>;
  ClassRows<T> rows;
  const T* losses;
  T* total;
  Lane* weight_sum;  // as it was computed: many rows are more than float16 can hold

  template <class A>
  TD_HD void add(std::int64_t i, std::int64_t, std::int64_t, A& loss, A& weight) const {
    const std::int64_t t = rows.target[i];  // which was checked when its loss was computed
    loss += static_cast<A>(static_cast<Lane>(losses[i]));
    weight += t == rows.kind.ignore_index ? A(0) : static_cast<A>(rows.weight_of(t));
  }
  /// With no rows the mean is 0/0, as in libtorch.
  TD_HD void finish(std::int64_t, double loss, double weight) const {
    *weight_sum = static_cast<Lane>(weight);
    *total = static_cast<T>(static_cast<Lane>(rows.kind.mean ? loss / weight : loss));
  }
};

// Both steps as one launch.
template <class T>
struct LossWork {
  RowsWork<LossForward<T>> each;
  ChannelSums<LossTotal<T>> all;
  void on_host() const {
    each.on_host();
    all.on_host();
  }
#ifdef TD_DEVICE_CODE
  void on_cuda(cudaStream_t stream) const {
    each.on_cuda(stream);
    all.on_cuda(stream);
  }
#endif
};

template <class T>
struct LossBackward {
  using C = compute_t<T>;
  ClassRows<T> r;
  const T* g;
  bool one_g;
  const C* log_sums;
  const C* weight_sum;
  T* gx;
  template <class Row>
  TD_HD void operator()(const Row& row, std::int64_t i) const {
    const std::int64_t at = r.s.start(i), step = step_of<Row>(r.s), t = r.target_of(i);
    const T* const in = r.x + at;
    T* const out = gx + at;
    const auto value = [&](std::int64_t j) { return static_cast<C>(in[j * step]); };
    if (t < 0) return row.each([&](std::int64_t j) { out[j * step] = T(0); });
    const C e = static_cast<C>(r.kind.label_smoothing) / static_cast<C>(r.s.n);
    const C hit = (1 - static_cast<C>(r.kind.label_smoothing)) * r.weight_of(t);
    C scale = static_cast<C>(g[one_g ? 0 : i]);
    if (r.kind.mean) scale /= *weight_sum;
    // What the probabilities are multiplied with: the sum of the row's weights.
    const C mass = hit + (e > 0 ? row.sum([&](std::int64_t j) { return e * r.weight_of(j); }) : 0);
    const C log_sum = log_sums[i];
    const auto put = [&](std::int64_t j, C share, C wanted) {
      out[j * step] = static_cast<T>(scale * (share - wanted));
    };
    // On a GPU each thread compares j with the target. The host writes the target's element by
    // itself: comparisons of 64-bit numbers would take longer than the rest of a short formula.
    const auto write = [&](auto smooth) {
      const auto wanted = [&](std::int64_t j) {
        return smooth(j) + (!Row::kOnHost && j == t ? hit : C(0));
      };
      if (r.kind.from_log)
        row.each([&](std::int64_t j) { put(j, 0, wanted(j)); });
      else
        row.each(value, [&](std::int64_t j, C x) { put(j, mass * exp(x - log_sum), wanted(j)); });
      if (!Row::kOnHost) return;
      put(t, r.kind.from_log ? C(0) : mass * exp(value(t) - log_sum), smooth(t) + hit);
    };
    if (e > 0)
      write([&](std::int64_t j) { return e * r.weight_of(j); });
    else
      write([](std::int64_t) { return C(0); });
  }
};

template <class T>
ClassRows<T> class_rows(const Classes& c) {
  return {row_shape(c.x.sizes(), 1), Pointer{c.x}, Pointer{c.target}, Pointer{c.weight}, c.kind};
}

void check_classes(const Op& op, const Classes& c) {
  TD_CHECK(DtypeError, c.x.is_floating_point(), op.name,
           ": \"input\" must be floating point but is ", c.x.dtype());
  TD_CHECK(DtypeError, c.target.dtype() == kLong, op.name,
           ": \"target\" holds class numbers and must be int64 but is ", c.target.dtype(),
           "; convert it with to(kInt64)");
  Sizes wanted(c.x.sizes());
  wanted.erase(1);
  TD_CHECK(ShapeError, wanted == c.target.impl().sizes, op.name, ": \"input\" of sizes ",
           c.x.sizes(), " (batch, classes, ...) needs a \"target\" of sizes ", IntArrayRef(wanted),
           " but got ", c.target.sizes());
  if (!c.weight.defined()) return;
  TD_CHECK(ShapeError, c.weight.dim() == 1 && c.weight.numel() == c.x.size(1), op.name,
           ": \"weight\" needs one number for each of the ", c.x.size(1), " classes but has sizes ",
           c.weight.sizes());
  TD_CHECK(DtypeError, c.weight.dtype() == c.x.dtype(), op.name, ": \"weight\" is ",
           c.weight.dtype(), " but \"input\" is ", c.x.dtype(), "; convert it with to(dtype)");
}

// The weights [C] as they are multiplied with x, whose dimension `dim` is the classes.
Tensor along(const Tensor& weight, const Tensor& x, std::int64_t dim) {
  Sizes sizes(static_cast<std::size_t>(x.dim()), 1);
  sizes[static_cast<std::size_t>(dim)] = x.size(dim);
  return weight.reshape(sizes);
}

// What each class's log-probability is multiplied with, without the minus signs: the weights of the
// target and of the smoothing, divided by their sum for a mean; 0 in ignored rows. A constant of
// the graph.
Tensor wanted(const Classes& c, const Tensor& weight_sum) {
  const NoGradGuard no_grad;
  const Tensor valid = c.target.ne(Scalar(c.kind.ignore_index)).unsqueeze(1);
  const Tensor t = c.target.unsqueeze(1).masked_fill(valid.logical_not(), 0);
  const double e = c.kind.label_smoothing;
  Tensor all = zeros(c.x.sizes(), c.x.options()).scatter(1, t, Scalar(1.0 - e));
  if (e > 0) all = all + Scalar(e / static_cast<double>(c.x.size(1)));
  if (c.weight.defined()) all = all * along(c.weight.detach(), c.x, 1);
  if (c.kind.mean) all = all.to(weight_sum.dtype()) / weight_sum;
  return where(valid, all, Scalar(0));
}

// The gradient of x; g is 0-dimensional or has the sizes of target.
Tensor gradient(const Classes& c, const Tensor& given, const Tensor& log_sums,
                const Tensor& weight_sum) {
  if (recording(given, c.x)) {  // in operations that are recorded, for gradients of gradients
    const Tensor q = wanted(c, weight_sum), by_row = given.dim() == 0 ? given : given.unsqueeze(1);
    return c.kind.from_log ? -q * by_row : (softmax(c.x, 1) * q.sum(1, true) - q) * by_row;
  }
  const Tensor g = given.contiguous();
  Tensor out = empty_on(c.x.impl().sizes, c.x.dtype(), c.x.device());
  dispatch_floats("cross_entropy", c.x.dtype(), [&]<class T>(CppType<T>) {
    const ClassRows<T> r = class_rows<T>(c);
    const LossBackward<T> program{
        r, Pointer{g}, g.dim() == 0, Pointer{log_sums}, Pointer{weight_sum}, Pointer{out}};
    launch("cross_entropy_backward", c.x.device(), rows_work(program, r.s),
           {&g, &c.x, &log_sums, &weight_sum, &c.target, &c.weight}, {&out});
  });
  return out;
}

Tensor loss(const Op& op, const Classes& c, Reduction::Reduction reduction) {
  check_classes(op, c);
  TD_CHECK(AutogradError, !recording(c.weight), op.name,
           ": \"weight\" requires a gradient, which is not computed; pass its detach()");
  const Device device = c.x.device();
  const ScalarType type = c.x.dtype(), computed = type == kDouble ? kDouble : kFloat;
  // Of each row, the loss and log(sum(exp(row))).
  Tensor losses = empty_on(c.target.impl().sizes, type, device);
  Tensor log_sums = empty_on(c.target.impl().sizes, computed, device);
  Tensor total = empty_on({}, type, device), weight_sum = empty_on({}, computed, device);
  dispatch_floats(op.name, type, [&]<class T>(CppType<T>) {
    const ClassRows<T> r = class_rows<T>(c);
    const LossForward<T> forward{r, Pointer{losses}, Pointer{log_sums}};
    const LossTotal<T> sums{r, Pointer{losses}, Pointer{total}, Pointer{weight_sum}};
    const Channels rows{1, 1, r.s.rows};
    const Tensor room = room_for_pieces<TwoSums>(device, rows.groups());
    launch(op.name, device, LossWork<T>{{forward, r.s}, {sums, rows, Pointer{room}}},
           {&c.x, &c.target, &c.weight}, {&losses, &log_sums, &total, &weight_sum, &room});
  });
  const Tensor result = reduction == kNone ? losses : total;
  if (recording(c.x))
    record(op.name, result, {&c.x},
           [x = save(c.x), target = save(c.target), weight = save(c.weight), kind = c.kind,
            log_sums, weight_sum](const Tensor& g) {
             return gradient({x(), target(), weight(), kind}, g, log_sums, weight_sum);
           });
  return result;
}

// Targets that are probabilities: no class number to look up.
Tensor probability_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                        Reduction::Reduction reduction, double label_smoothing) {
  const std::int64_t dim = input.dim() == 1 ? 0 : 1;
  const auto classes = static_cast<double>(input.size(dim));
  Tensor t = target;
  if (label_smoothing > 0) t = t * (1 - label_smoothing) + Scalar(label_smoothing / classes);
  Tensor logs = log_softmax(input, dim) * t;
  if (weight.defined()) logs = logs * along(weight, input, dim);
  if (reduction == kNone) return -sum(logs, dim);
  // In float32 at least: the mean of many rows is finite though a sum of float16 is not.
  const Tensor total = -sum(logs, promote_types(logs.dtype(), kFloat));
  const auto rows = static_cast<double>(input.numel()) / classes;
  return as_type(reduction == kSum ? total : total / Scalar(rows), logs.dtype());
}

// One sample without a batch dimension is a batch of one.
Tensor batched_loss(const Op& op, const Tensor& input, const Tensor& target, const Tensor& weight,
                    Reduction::Reduction reduction, const ClassLoss& kind) {
  const Device device = common_device(op, input, target, weight);
  TD_CHECK(ShapeError, input.dim() >= 1, op.name, ": \"input\" needs a dimension of classes");
  if (!kind.from_log && target.is_floating_point() && target.sizes() == input.sizes())
    return probability_loss(input, target, weight, reduction, kind.label_smoothing);
  const bool single = input.dim() == 1;
  const Tensor t = target.to(device);
  const Classes c{(single ? input.unsqueeze(0) : input).contiguous(),
                  (single ? t.unsqueeze(0) : t).contiguous(),
                  weight.defined() ? weight.contiguous() : weight, kind};
  const Tensor result = loss(op, c, reduction);
  return single && reduction == kNone ? result.squeeze(0) : result;
}

}  // namespace

Tensor nll_loss_impl(const Tensor& input, const Tensor& target, const Tensor& weight,
                     Reduction::Reduction reduction, std::int64_t ignore_index) {
  return batched_loss(nll_op, input, target, weight, reduction,
                      {ignore_index, 0, true, reduction == kMean});
}

Tensor cross_entropy_loss_impl(const Tensor& input, const Tensor& target, const Tensor& weight,
                               Reduction::Reduction reduction, std::int64_t ignore_index,
                               double label_smoothing) {
  TD_CHECK(Error, label_smoothing >= 0 && label_smoothing <= 1,
           "cross_entropy: label_smoothing must be between 0 and 1 but is ", label_smoothing);
  return batched_loss(cross_op, input, target, weight, reduction,
                      {ignore_index, label_smoothing, false, reduction == kMean});
}

}  // namespace td
