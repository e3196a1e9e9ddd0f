// The work of operations.py: every operation that a program can call, as a program for libtorch. It
// is compiled twice, as framework.cpp is: with libtorch, and with this project's core. It reads
// lines
//   cases                  the names of all cases, a line of JSON
//   setup CASE             makes one and answers what it computes
//   run SECONDS            times it
// A case is OPERATION/forward|backward/small|large/contiguous|strided. Invariant: both programs
// compile the same lines, except for those under RACE_LIBTORCH.
#ifdef RACE_LIBTORCH
#include <ATen/Parallel.h>
#include <torch/torch.h>
#else
#include "td/base/parallel.h"
#include "td/torch.h"
#endif

#include <sstream>

#include "harness.h"

namespace {

namespace F = torch::nn::functional;
using bench::Case;
using torch::Tensor;

/// What the operations get. Numbers are uniform within (-1, 1).
struct Inputs {
  Tensor a, b;      ///< (rows, columns)
  Tensor positive;  ///< the same, between 0.1 and 1.1
  Tensor row;       ///< (columns)
  Tensor mask;      ///< (rows, columns), bool
  Tensor index;     ///< (rows, columns), int64 below rows
  Tensor rows;      ///< (rows), int64 below rows, in no order
  Tensor classes;   ///< (rows), int64 below columns
  Tensor images;    ///< (N, C, H, W)
  Tensor filters;   ///< (C, C, 3, 3)
  Tensor batch;     ///< (8, rows / 8, columns)
};

struct Operation {
  std::function<Tensor(const Inputs&)> run;
  bool has_gradient = true;  ///< by what it gets of Inputs
  bool is_random = false;    ///< the two programs draw different numbers
};

volatile bool sink;  // keeps what is no tensor

using Operations = std::map<std::string, Operation>;

#define WITH(expression) [](const Inputs& in) -> Tensor { return expression; }

Operations pointwise() {
  return {
      {"abs", {WITH(torch::abs(in.a))}},
      {"add", {WITH(torch::add(in.a, in.b))}},
      {"add scalar", {WITH(torch::add(in.a, 2))}},
      {"add row", {WITH(torch::add(in.a, in.row))}},
      {"addcdiv", {WITH(torch::addcdiv(in.a, in.b, in.positive))}},
      {"addcmul", {WITH(torch::addcmul(in.a, in.b, in.positive))}},
      {"allclose", {WITH((sink = torch::allclose(in.a, in.a), in.a)), false}},
      {"ceil", {WITH(torch::ceil(in.a))}},
      {"clamp", {WITH(torch::clamp(in.a, -0.5, 0.5))}},
      {"clamp_max", {WITH(torch::clamp_max(in.a, 0.5))}},
      {"clamp_min", {WITH(torch::clamp_min(in.a, 0.5))}},
      {"cos", {WITH(torch::cos(in.a))}},
      {"div", {WITH(torch::div(in.a, in.positive))}},
      {"div floor", {WITH(torch::div(in.a, in.positive, "floor"))}},
      {"elu", {WITH(torch::elu(in.a))}},
      {"eq", {WITH(torch::eq(in.a, in.b)), false}},
      {"equal", {WITH((sink = torch::equal(in.a, in.a), in.a)), false}},
      {"erf", {WITH(torch::erf(in.a))}},
      {"exp", {WITH(torch::exp(in.a))}},
      {"floor", {WITH(torch::floor(in.a))}},
      {"ge", {WITH(torch::ge(in.a, in.b)), false}},
      {"gelu", {WITH(torch::gelu(in.a))}},
      {"gt", {WITH(torch::gt(in.a, in.b)), false}},
      {"isfinite", {WITH(torch::isfinite(in.a)), false}},
      {"isinf", {WITH(torch::isinf(in.a)), false}},
      {"isnan", {WITH(torch::isnan(in.a)), false}},
      {"le", {WITH(torch::le(in.a, in.b)), false}},
      {"leaky_relu", {WITH(torch::leaky_relu(in.a))}},
      {"lerp", {WITH(torch::lerp(in.a, in.b, 0.3))}},
      {"log", {WITH(torch::log(in.positive)), false}},
      {"log1p", {WITH(torch::log1p(in.positive)), false}},
      {"logical_and", {WITH(torch::logical_and(in.mask, in.mask)), false}},
      {"logical_not", {WITH(torch::logical_not(in.mask)), false}},
      {"logical_or", {WITH(torch::logical_or(in.mask, in.mask)), false}},
      {"lt", {WITH(torch::lt(in.a, in.b)), false}},
      {"masked_fill", {WITH(in.a.masked_fill(in.mask, 2))}},
      {"maximum", {WITH(torch::maximum(in.a, in.b))}},
      {"minimum", {WITH(torch::minimum(in.a, in.b))}},
      {"mul", {WITH(torch::mul(in.a, in.b))}},
      {"mul row", {WITH(torch::mul(in.a, in.row))}},
      {"ne", {WITH(torch::ne(in.a, in.b)), false}},
      {"neg", {WITH(torch::neg(in.a))}},
      {"pow", {WITH(torch::pow(in.positive, in.b)), false}},
      {"pow 3", {WITH(torch::pow(in.a, 3))}},
      {"reciprocal", {WITH(torch::reciprocal(in.a))}},
      {"relu", {WITH(torch::relu(in.a))}},
      {"remainder", {WITH(torch::remainder(in.a, 0.3))}},
      {"round", {WITH(torch::round(in.a))}},
      {"rsqrt", {WITH(torch::rsqrt(in.positive)), false}},
      {"sigmoid", {WITH(torch::sigmoid(in.a))}},
      {"sign", {WITH(torch::sign(in.a))}},
      {"silu", {WITH(torch::silu(in.a))}},
      {"sin", {WITH(torch::sin(in.a))}},
      {"softplus", {WITH(torch::softplus(in.a))}},
      {"sqrt", {WITH(torch::sqrt(in.positive)), false}},
      {"square", {WITH(torch::square(in.a))}},
      {"sub", {WITH(torch::sub(in.a, in.b))}},
      {"tanh", {WITH(torch::tanh(in.a))}},
      {"to double", {WITH(in.a.to(torch::kDouble)), false}},
      {"where", {WITH(torch::where(in.mask, in.a, in.b))}},
  };
}

Operations reductions() {
  return {
      {"all", {WITH(torch::all(in.mask)), false}},
      {"all dim 1", {WITH(torch::all(in.mask, 1)), false}},
      {"amax dim 0", {WITH(torch::amax(in.a, 0))}},
      {"amax dim 1", {WITH(torch::amax(in.a, 1))}},
      {"amin dim 1", {WITH(torch::amin(in.a, 1))}},
      {"any", {WITH(torch::any(in.mask)), false}},
      {"any dim 1", {WITH(torch::any(in.mask, 1)), false}},
      {"argmax", {WITH(torch::argmax(in.a)), false}},
      {"argmax dim 0", {WITH(torch::argmax(in.a, 0)), false}},
      {"argmax dim 1", {WITH(torch::argmax(in.a, 1)), false}},
      {"argmin dim 1", {WITH(torch::argmin(in.a, 1)), false}},
      {"argsort", {WITH(torch::argsort(in.a)), false}},
      {"cumprod dim 1", {WITH(torch::cumprod(in.a, 1))}},
      {"cumsum dim 0", {WITH(torch::cumsum(in.a, 0))}},
      {"cumsum dim 1", {WITH(torch::cumsum(in.a, 1))}},
      {"dot", {WITH(torch::dot(in.row, in.row)), false}},
      {"logsumexp dim 1", {WITH(torch::logsumexp(in.a, 1))}},
      {"max", {WITH(torch::max(in.a))}},
      {"max dim 0", {WITH(std::get<0>(torch::max(in.a, 0)))}},
      {"max dim 1", {WITH(std::get<0>(torch::max(in.a, 1)))}},
      {"mean", {WITH(torch::mean(in.a))}},
      {"mean dim 0", {WITH(torch::mean(in.a, 0))}},
      {"mean dim 1", {WITH(torch::mean(in.a, 1))}},
      {"min", {WITH(torch::min(in.a))}},
      {"min dim 1", {WITH(std::get<0>(torch::min(in.a, 1)))}},
      {"norm", {WITH(torch::norm(in.a))}},
      {"norm dim 1", {WITH(torch::norm(in.a, 2, {1}))}},
      {"prod dim 1", {WITH(torch::prod(in.a, 1))}},
      {"sort", {WITH(std::get<0>(torch::sort(in.a)))}},
      {"std", {WITH(torch::std(in.a))}},
      {"std dim 1", {WITH(torch::std(in.a, {1}))}},
      {"sum", {WITH(torch::sum(in.a))}},
      {"sum dim 0", {WITH(torch::sum(in.a, 0))}},
      {"sum dim 1", {WITH(torch::sum(in.a, 1))}},
      {"topk", {WITH(std::get<0>(torch::topk(in.a, 5)))}},
      {"var dim 0", {WITH(torch::var(in.a, {0}))}},
      {"var dim 1", {WITH(torch::var(in.a, {1}))}},
  };
}

Operations layers() {
  return {
      {"adaptive_avg_pool2d", {WITH(torch::adaptive_avg_pool2d(in.images, {4, 4}))}},
      {"addmm", {WITH(torch::addmm(in.row, in.a, in.b))}},
      {"avg_pool2d", {WITH(torch::avg_pool2d(in.images, 2))}},
      {"batch_norm",
       {WITH(F::batch_norm(in.images, {}, {}, F::BatchNormFuncOptions().training(true)))}},
      {"binary_cross_entropy",
       {WITH(torch::binary_cross_entropy(torch::sigmoid(in.a), in.mask.to(torch::kFloat)))}},
      {"binary_cross_entropy_with_logits",
       {WITH(torch::binary_cross_entropy_with_logits(in.a, in.mask.to(torch::kFloat)))}},
      {"bmm", {WITH(torch::bmm(in.batch, in.batch.transpose(1, 2)))}},
      {"conv2d", {WITH(torch::conv2d(in.images, in.filters, {}, 1, 1))}},
      {"cross_entropy_loss", {WITH(torch::cross_entropy_loss(in.a, in.classes))}},
      {"dropout", {WITH(torch::dropout(in.a, 0.5, true)), true, true}},
      {"embedding", {WITH(torch::embedding(in.a, in.rows))}},
      {"l1_loss", {WITH(torch::l1_loss(in.a, in.b))}},
      {"layer_norm", {WITH(torch::layer_norm(in.a, {in.a.size(1)}))}},
      {"linear", {WITH(torch::linear(in.a, in.b))}},
      {"log_softmax dim 0", {WITH(torch::log_softmax(in.a, 0))}},
      {"log_softmax dim 1", {WITH(torch::log_softmax(in.a, 1))}},
      {"matmul", {WITH(torch::matmul(in.a, in.b))}},
      {"max_pool2d", {WITH(torch::max_pool2d(in.images, 2))}},
      {"max_pool2d_with_indices",
       {WITH(std::get<0>(torch::max_pool2d_with_indices(in.images, 3, 2, 1)))}},
      {"mm", {WITH(torch::mm(in.a, in.b))}},
      {"mse_loss", {WITH(torch::mse_loss(in.a, in.b))}},
      {"mv", {WITH(torch::mv(in.a, in.row))}},
      {"nll_loss", {WITH(torch::nll_loss(in.a, in.classes))}},
      {"outer", {WITH(torch::outer(in.row, in.row)), false}},
      {"smooth_l1_loss", {WITH(torch::smooth_l1_loss(in.a, in.b))}},
      {"softmax dim 0", {WITH(torch::softmax(in.a, 0))}},
      {"softmax dim 1", {WITH(torch::softmax(in.a, 1))}},
  };
}

Operations places() {
  return {
      {"arange", {WITH(torch::arange(in.a.numel())), false}},
      {"broadcast_tensors", {WITH(torch::broadcast_tensors({in.a, in.row})[1]), false}},
      {"cat", {WITH(torch::cat({in.a, in.b}))}},
      {"cat dim 1", {WITH(torch::cat({in.a, in.b}, 1))}},
      {"chunk", {WITH(torch::chunk(in.a, 2)[1])}},
      {"clone", {WITH(torch::clone(in.a))}},
      {"contiguous", {WITH(in.a.t().contiguous())}},
      {"diag", {WITH(torch::diag(in.row)), false}},
      {"expand", {WITH(in.row.expand({in.a.size(0), in.a.size(1)})), false}},
      {"eye", {WITH(torch::eye(in.a.size(0))), false}},
      {"flatten", {WITH(torch::flatten(in.a))}},
      {"flip", {WITH(torch::flip(in.a, {1}))}},
      {"flip dim 0", {WITH(torch::flip(in.a, {0}))}},
      {"full", {WITH(torch::full({in.a.size(0), in.a.size(1)}, 2.0)), false}},
      {"full_like", {WITH(torch::full_like(in.a, 2.0)), false}},
      {"gather dim 0", {WITH(torch::gather(in.a, 0, in.index))}},
      {"gather dim 1", {WITH(torch::gather(in.a, 1, in.index))}},
      {"index", {WITH(in.a.index({in.rows}))}},
      {"index_add", {WITH(torch::index_add(in.a, 0, in.rows, in.b))}},
      {"index_select", {WITH(torch::index_select(in.a, 0, in.rows))}},
      {"linspace", {WITH(torch::linspace(0, 1, in.a.numel())), false}},
      {"masked_select", {WITH(torch::masked_select(in.a, in.mask))}},
      {"narrow", {WITH(torch::narrow(in.a, 0, 1, 4))}},
      {"nonzero", {WITH(torch::nonzero(in.mask)), false}},
      {"one_hot", {WITH(torch::one_hot(in.classes, in.a.size(1))), false}},
      {"ones", {WITH(torch::ones({in.a.size(0), in.a.size(1)})), false}},
      {"ones_like", {WITH(torch::ones_like(in.a)), false}},
      {"permute", {WITH(in.images.permute({0, 2, 3, 1}))}},
      {"permute contiguous", {WITH(in.images.permute({0, 2, 3, 1}).contiguous())}},
      {"rand", {WITH(torch::rand({in.a.size(0), in.a.size(1)})), false, true}},
      {"rand_like", {WITH(torch::rand_like(in.a)), false, true}},
      {"randint", {WITH(torch::randint(0, 10, {in.a.size(0), in.a.size(1)})), false, true}},
      {"randn", {WITH(torch::randn({in.a.size(0), in.a.size(1)})), false, true}},
      {"randn_like", {WITH(torch::randn_like(in.a)), false, true}},
      {"randperm", {WITH(torch::randperm(in.a.numel())), false, true}},
      {"repeat", {WITH(in.a.repeat({2, 1}))}},
      {"reshape", {WITH(in.a.reshape({-1}))}},
      {"roll", {WITH(torch::roll(in.a, {1}, {1}))}},
      {"scatter", {WITH(torch::scatter(in.a, 0, in.index, in.b)), false}},
      {"scatter_add", {WITH(torch::scatter_add(in.a, 0, in.index, in.b))}},
      {"select", {WITH(torch::select(in.a, 0, 1))}},
      {"slice", {WITH(torch::slice(in.a, 0, 1, 5))}},
      {"split", {WITH(torch::split(in.a, 4)[1])}},
      {"squeeze", {WITH(torch::squeeze(in.a))}},
      {"stack", {WITH(torch::stack({in.a, in.b}))}},
      {"t", {WITH(torch::t(in.a))}},
      {"transpose", {WITH(torch::transpose(in.a, 0, 1))}},
      {"tril", {WITH(torch::tril(in.a))}},
      {"triu", {WITH(torch::triu(in.a))}},
      {"unbind", {WITH(torch::unbind(in.a)[1])}},
      {"unsqueeze", {WITH(torch::unsqueeze(in.a, 0))}},
      {"zeros", {WITH(torch::zeros({in.a.size(0), in.a.size(1)})), false}},
      {"zeros_like", {WITH(torch::zeros_like(in.a)), false}},
  };
}

const Operations& operations() {
  static const Operations all = [] {
    Operations made;
    for (auto part : {pointwise(), reductions(), layers(), places()}) made.merge(part);
    return made;
  }();
  return all;
}

/// Numbers within (-1, 1), the same in both programs.
Tensor numbers(std::vector<std::int64_t> sizes, std::uint32_t seed) {
  const Tensor t = torch::empty(sizes);
  bench::fill(t.data_ptr<float>(), t.numel(), 1, seed);
  return t;
}

/// Integers below `end`, the same in both programs.
Tensor integers(std::vector<std::int64_t> sizes, std::int64_t end, std::uint32_t seed) {
  return ((numbers(sizes, seed) + 1) * (0.499 * static_cast<double>(end))).to(torch::kLong);
}

Inputs inputs(bool large, bool strided) {
  const std::int64_t n = large ? 1024 : 8, images = large ? 16 : 2, channels = large ? 32 : 4,
                     side = large ? 32 : 8;
  const auto matrix = [&](std::uint32_t seed) {
    return strided ? numbers({n, n}, seed).t() : numbers({n, n}, seed);
  };
  Inputs in;
  in.a = matrix(1), in.b = matrix(2), in.positive = matrix(3).abs() + 0.1;
  in.row = numbers({n}, 4), in.mask = matrix(5) > 0;
  in.index = integers({n, n}, n, 6), in.rows = integers({n}, n, 7),
  in.classes = integers({n}, n, 8);
  const Tensor pictures = numbers({images, channels, side, side}, 9);
  in.images = strided ? pictures.transpose(2, 3) : pictures;
  in.filters = numbers({channels, channels, 3, 3}, 10);
  in.batch = numbers({8, n / 8, n}, 11);
  return in;
}

double summary(const Tensor& result) {
  return result.to(torch::kDouble).abs().mean().item<double>();
}

Case forward(const Operation& operation, const Inputs& in) {
  const auto run = operation.run;
  const bool is_random = operation.is_random;
  return {[=] {
            const torch::NoGradGuard no_grad;
            const Tensor result = run(in);
            return is_random ? 0.0 : summary(result);
          },
          [=] {
            const torch::NoGradGuard no_grad;
            run(in);
          },
          {}};
}

/// The recorded forward pass and the backward pass to all that it gets.
Case backward(const Operation& operation, const Inputs& given) {
  Inputs in = given;
  const std::vector<Tensor> leaves = {in.a, in.b, in.row, in.images, in.filters, in.batch};
  for (const Tensor& leaf : leaves) Tensor(leaf).requires_grad_();
  const auto run = operation.run;
  const bool is_random = operation.is_random;
  const Tensor seed = torch::ones_like(run(in).detach());
  const auto step = [=] {
    for (const Tensor& leaf : leaves) leaf.mutable_grad() = Tensor();
    run(in).backward(seed);
  };
  return {[=] {
            step();
            double total = 0;
            for (const Tensor& leaf : leaves)
              if (leaf.grad().defined() && !is_random) total += summary(leaf.grad());
            return total;
          },
          step,
          {}};
}

/// All cases, by name.
std::map<std::string, std::function<Case()>> cases() {
  std::map<std::string, std::function<Case()>> all;
  for (const auto& [name, operation] : operations())
    for (const bool large : {false, true})
      for (const bool strided : {false, true})
        for (const bool trains : {false, true}) {
          if (trains && !operation.has_gradient) continue;
          const std::string id = name + (trains ? "/backward/" : "/forward/") +
                                 (large ? "large/" : "small/") +
                                 (strided ? "strided" : "contiguous");
          all[id] = [=, op = &operation] {
            const Inputs in = inputs(large, strided);
            return trains ? backward(*op, in) : forward(*op, in);
          };
        }
  return all;
}

void use_one_thread() {
#ifdef RACE_LIBTORCH
  at::set_num_threads(1);
#else
  td::set_parallel_width(1);
#endif
}

}  // namespace

int main() {
  use_one_thread();
  const auto all = cases();
  Case work;
  int steps = 1;
  for (std::string line; std::getline(std::cin, line);) {
    nlohmann::json answer;
    try {
      if (line == "cases") {
        for (const auto& [name, make] : all) answer.push_back(name);
      } else if (line.starts_with("setup ")) {
        work = all.at(line.substr(6))();
        answer = {{"check", work.check()}};
        steps = bench::steps_per_sample(work);
      } else {
        answer = bench::slot(work, steps, std::stod(line.substr(4)));
      }
    } catch (const std::exception& error) {
      answer = {{"error", error.what()}};
    }
    std::cout << answer << std::endl;
  }
}
