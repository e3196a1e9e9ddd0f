// The floor's convolutional networks: oneDNN's convolutions and poolings, each in the layout that
// the library prefers; weights stay in the plain layout and are reordered if it needs another.
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "floor.h"
#include "libs/host/onednn_version.h"

namespace bench::floor {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;
using Arguments = std::unordered_map<int, memory>;
constexpr auto kFloat = memory::data_type::f32;
constexpr auto kDirect = dnnl::algorithm::convolution_direct;
constexpr int kBatch = 64;

dnnl::engine& engine() {
  static dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}
dnnl::stream& stream() {
  static dnnl::stream queue(engine());
  return queue;
}

memory::desc plain(int c, int size) { return {{kBatch, c, size, size}, kFloat, Tag::nchw}; }
memory::desc any(int c, int size) { return {{kBatch, c, size, size}, kFloat, Tag::any}; }
memory over(const memory::desc& layout, float* data) { return {layout, engine(), data}; }
float* data_of(const memory& m) { return static_cast<float*>(m.get_data_handle()); }

// A memory in the layout of a primitive: the given one when the layouts agree, else a copy.
struct Arranged {
  Arranged() = default;
  Arranged(const memory& given, const memory::desc& wanted) : given(given), used(given) {
    if (given.get_desc() == wanted) return;
    used = memory(wanted, engine());
    in = dnnl::reorder(given, used);
    out = dnnl::reorder(used, given);
  }
  void load() {
    if (in) in.execute(stream(), given, used);
  }
  void store() {
    if (out) out.execute(stream(), used, given);
  }
  memory given, used;
  dnnl::reorder in, out;
};

/// A 5 x 5 convolution with bias, and ReLU when asked.
struct Conv {
  Conv(const memory& x, int in, int size, int out, int padding, bool relu, std::uint32_t seed)
      : weight(std::size_t(out) * in * 25, in * 25, seed),
        bias(std::size_t(out), in * 25, seed + 1),
        input(x),
        x_any(any(in, size)),
        y_any(any(out, size + 2 * padding - 4)),
        w_any({out, in, 5, 5}, kFloat, Tag::any),
        b_any({out}, kFloat, Tag::x),
        pad{padding, padding} {
    dnnl::primitive_attr attributes;
    if (relu) {
      dnnl::post_ops after;
      td::kernels::append_eltwise(after, dnnl::algorithm::eltwise_relu, 0, 0);
      attributes.set_post_ops(after);
    }
    const auto used = describe_forward(x.get_desc(), attributes);
    plain_weight = over({{out, in, 5, 5}, kFloat, Tag::oihw}, weight.value);
    forward_weight = Arranged(plain_weight, used.weights_desc());
    output = memory(used.dst_desc(), engine());
    grad = memory(used.dst_desc(), engine());
    run = dnnl::convolution_forward(used);
    arguments = {{DNNL_ARG_SRC, x},
                 {DNNL_ARG_WEIGHTS, forward_weight.used},
                 {DNNL_ARG_BIAS, over(b_any, bias.value)},
                 {DNNL_ARG_DST, output}};
    hint = describe_forward(x_any, {});
    prepare_weight_gradient();
  }
  dnnl::convolution_forward::primitive_desc describe_forward(
      const memory::desc& x, const dnnl::primitive_attr& attributes) const {
    return td::kernels::describe<dnnl::convolution_forward>(
        engine(), attributes, dnnl::prop_kind::forward_training, kDirect, x, w_any, b_any, y_any,
        step, pad, pad);
  }
  void prepare_weight_gradient() {
    const auto used = td::kernels::describe_backward<dnnl::convolution_backward_weights>(
        engine(), {}, hint, kDirect, x_any, w_any, b_any, y_any, step, pad, pad);
    weight_gradient =
        Arranged(over(plain_weight.get_desc(), weight.grad), used.diff_weights_desc());
    wanted_input = Arranged(input, used.src_desc());
    wanted_grad = Arranged(grad, used.diff_dst_desc());
    run_weight = dnnl::convolution_backward_weights(used);
    weight_arguments = {{DNNL_ARG_SRC, wanted_input.used},
                        {DNNL_ARG_DIFF_DST, wanted_grad.used},
                        {DNNL_ARG_DIFF_WEIGHTS, weight_gradient.used},
                        {DNNL_ARG_DIFF_BIAS, over(b_any, bias.grad)}};
  }
  // Also computes the input's gradient, into `into`.
  void prepare_input_gradient(const memory& into) {
    const auto used = td::kernels::describe_backward<dnnl::convolution_backward_data>(
        engine(), {}, hint, kDirect, x_any, w_any, y_any, step, pad, pad);
    backward_weight = Arranged(plain_weight, used.weights_desc());
    data_grad = Arranged(grad, used.diff_dst_desc());
    input_gradient = Arranged(into, used.diff_src_desc());
    run_input = dnnl::convolution_backward_data(used);
    input_arguments = {{DNNL_ARG_DIFF_DST, data_grad.used},
                       {DNNL_ARG_WEIGHTS, backward_weight.used},
                       {DNNL_ARG_DIFF_SRC, input_gradient.used}};
  }
  void forward() {
    forward_weight.load();
    run.execute(stream(), arguments);
  }
  void backward() {
    if (run_input) {
      backward_weight.load();
      data_grad.load();
      run_input.execute(stream(), input_arguments);
      input_gradient.store();
    }
    wanted_input.load();
    wanted_grad.load();
    run_weight.execute(stream(), weight_arguments);
    weight_gradient.store();
  }
  void relu_backward_here() {
    relu_backward(data_of(grad), data_of(output), output.get_desc().get_size() / sizeof(float));
  }
  void update() {
    weight.update(Rule::kSgd, 0.01f, 1);
    bias.update(Rule::kSgd, 0.01f, 1);
  }

  Parameter weight, bias;
  memory input, output, grad, plain_weight;
  memory::desc x_any, y_any, w_any, b_any;
  memory::dims step{1, 1}, pad;
  dnnl::convolution_forward::primitive_desc hint;
  dnnl::convolution_forward run;
  dnnl::convolution_backward_weights run_weight;
  dnnl::convolution_backward_data run_input;
  Arranged forward_weight, weight_gradient, wanted_input, wanted_grad;
  Arranged backward_weight, data_grad, input_gradient;
  Arguments arguments, weight_arguments, input_arguments;
};

/// Max pooling of 2 x 2 by plain loops: oneDNN's pooling takes six times as long for LeNet on AVX2.
/// Its layouts are images [h, w, lanes], where a lane is a channel of a block or of all, or the
/// only one.
struct Pool {
  Pool(const Conv& before, int channels, int size)
      : in(before.output), in_grad(before.grad), size(static_cast<std::size_t>(size)) {
    const memory::dims sizes{kBatch, channels, 2 * size, 2 * size};
    const std::pair<Tag, int> layouts[] = {
        {Tag::nChw16c, 16}, {Tag::nChw8c, 8}, {Tag::nhwc, channels}};
    Tag tag = Tag::nchw;
    for (const auto& [layout, width] : layouts)
      if (in.get_desc() == memory::desc(sizes, kFloat, layout)) {
        tag = layout;
        lanes = static_cast<std::size_t>(width);
      }
    const memory::desc smaller({kBatch, channels, size, size}, kFloat, tag);
    output = memory(smaller, engine());
    grad = memory(smaller, engine());
    images = output.get_desc().get_size() / sizeof(float) / lanes / this->size / this->size;
    places.resize(output.get_desc().get_size() / sizeof(float));
  }
  // body(offset of the window's first pixel, offset of its output); a row has `2 * size * lanes`.
  template <class Body>
  void each_window(Body body) {
    loop(images * size, [&](std::size_t from, std::size_t to) {
      for (std::size_t r = from; r < to; ++r)
        for (std::size_t w = 0; w < size; ++w)
          body(4 * (r * size * lanes) + 2 * w * lanes, (r * size + w) * lanes);
    });
  }
  void forward() {
    const float* x = data_of(in);
    float* y = data_of(output);
    const std::size_t row = 2 * size * lanes;
    each_window([&](std::size_t window, std::size_t at) {
#pragma omp simd
      for (std::size_t l = 0; l < lanes; ++l) {
        const float a = x[window + l], b = x[window + lanes + l], c = x[window + row + l],
                    d = x[window + row + lanes + l];
        const float top = std::max(a, b), bottom = std::max(c, d);
        y[at + l] = std::max(top, bottom);
        places[at + l] = bottom > top ? (d > c ? 3 : 2) : (b > a ? 1 : 0);
      }
    });
  }
  void backward() {
    const float* dy = data_of(grad);
    float* dx = data_of(in_grad);
    const std::size_t row = 2 * size * lanes;
    each_window([&](std::size_t window, std::size_t at) {
#pragma omp simd
      for (std::size_t l = 0; l < lanes; ++l) {
        const std::int32_t place = places[at + l];
        const float g = dy[at + l];
        dx[window + l] = place == 0 ? g : 0;
        dx[window + lanes + l] = place == 1 ? g : 0;
        dx[window + row + l] = place == 2 ? g : 0;
        dx[window + row + lanes + l] = place == 3 ? g : 0;
      }
    });
  }
  memory in, in_grad, output, grad;
  std::size_t size, lanes = 1, images = 0;
  std::vector<std::int32_t> places;
};

/// Flattened features, in the plain layout, and their gradient.
struct Features {
  Features(const Pool& from, int channels, int size)
      : x(std::size_t(kBatch) * channels * size * size),
        dx(x.size),
        flat(over(plain(channels, size), x)),
        flat_grad(over(plain(channels, size), dx)),
        pooled(from.output),
        pooled_grad(from.grad),
        in(pooled, flat),
        out(flat_grad, pooled_grad) {}
  void forward() {
    in.execute(stream(), pooled, flat);
    stream().wait();
  }
  void backward() { out.execute(stream(), flat_grad, pooled_grad); }
  Buffer x, dx;
  memory flat, flat_grad, pooled, pooled_grad;
  dnnl::reorder in, out;
};

struct LeNet {
  LeNet() {
    fill(image, kBatch * 784, 1, 101);
    c2.prepare_input_gradient(p1.grad);
  }
  void forward() {
    c1.forward();
    p1.forward();
    to_plain.execute(stream(), p1.output, c2_input);
    c2.forward();
    p2.forward();
    features.forward();
    f1.forward(features.x, h1, kBatch, true);
    f2.forward(h1, h2, kBatch, true);
    f3.forward(h2, y, kBatch, false);
  }
  float step() {
    forward();
    const float loss = cross_entropy(y, dy, kBatch);
    f3.backward(h2, dy, d2, kBatch);
    relu_backward(d2, h2, d2.size);
    f2.backward(h1, d2, d1, kBatch);
    relu_backward(d1, h1, d1.size);
    f1.backward(features.x, d1, features.dx, kBatch);
    features.backward();
    p2.backward();
    c2.relu_backward_here();
    c2.backward();
    p1.backward();
    c1.relu_backward_here();
    c1.backward();
    stream().wait();
    c1.update();
    c2.update();
    for (Linear* layer : {&f1, &f2, &f3}) layer->update(Rule::kSgd, 0.01f);
    return loss;
  }
  Buffer image{kBatch * 784};
  Conv c1{over(plain(1, 28), image), 1, 28, 6, 2, true, 1};
  Pool p1{c1, 6, 14};
  memory c2_input{plain(6, 14), engine()};
  dnnl::reorder to_plain{p1.output, c2_input};
  Conv c2{c2_input, 6, 14, 16, 0, true, 3};
  Pool p2{c2, 16, 5};
  Features features{p2, 16, 5};
  Linear f1{400, 120, 5}, f2{120, 84, 7}, f3{84, 10, 9};
  Buffer h1{kBatch * 120}, h2{kBatch * 84}, d1{kBatch * 120}, d2{kBatch * 84};
  Buffer y{kBatch * 10}, dy{kBatch * 10};
};

struct Cifar {
  Cifar() {
    fill(image, kBatch * 3072, 1, 101);
    c2.prepare_input_gradient(p1.grad);
    c3.prepare_input_gradient(p2.grad);
  }
  void forward() {
    c1.forward();
    p1.forward();
    c2.forward();
    p2.forward();
    c3.forward();
    p3.forward();
    features.forward();
    f1.forward(features.x, h, kBatch, false);
    f2.forward(h, y, kBatch, false);
  }
  float step() {
    forward();
    const float loss = cross_entropy(y, dy, kBatch);
    f2.backward(h, dy, dh, kBatch);
    f1.backward(features.x, dh, features.dx, kBatch);
    features.backward();
    p3.backward();
    c3.backward();
    p2.backward();
    c2.backward();
    p1.backward();
    c1.backward();
    stream().wait();
    for (Conv* layer : {&c1, &c2, &c3}) layer->update();
    for (Linear* layer : {&f1, &f2}) layer->update(Rule::kSgd, 0.01f);
    return loss;
  }
  Buffer image{kBatch * 3072};
  Conv c1{over(plain(3, 32), image), 3, 32, 32, 2, false, 1};
  Pool p1{c1, 32, 16};
  Conv c2{p1.output, 32, 16, 32, 2, false, 3};
  Pool p2{c2, 32, 8};
  Conv c3{p2.output, 32, 8, 64, 2, false, 5};
  Pool p3{c3, 64, 4};
  Features features{p3, 64, 4};
  Linear f1{1024, 64, 7}, f2{64, 10, 9};
  Buffer h{kBatch * 64}, dh{kBatch * 64}, y{kBatch * 10}, dy{kBatch * 10};
};

template <class Net>
Case training() {
  auto net = std::make_shared<Net>();
  return {[net] {
            for (int i = 1; i < 5; ++i) net->step();
            return double(net->step());
          },
          [net] { net->step(); },
          {}};
}
template <class Net>
Case inference() {
  auto net = std::make_shared<Net>();
  return {[net] {
            net->forward();
            double sum = 0;
            for (int i = 0; i < kBatch * 10; ++i) sum += std::abs(double(net->y[i]));
            return sum;
          },
          [net] { net->forward(); },
          {}};
}

}  // namespace

Case lenet() { return training<LeNet>(); }
Case lenet_inference() { return inference<LeNet>(); }
Case cifar() { return training<Cifar>(); }
Case cifar_inference() { return inference<Cifar>(); }

}  // namespace bench::floor
