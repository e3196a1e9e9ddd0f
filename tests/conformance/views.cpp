// Views and joining: sizes and strides of every view, whether it shares memory with its base,
// changes through views in place, gradients, and errors.
#include "conformance.h"

using namespace conformance;

namespace {

struct View {
  const char* name;
  std::function<Tensor(const Tensor&)> apply;
};

// All of these accept a tensor of sizes (2, 3, 4) in any memory order, or throw.
const std::vector<View> views = {
    {"view 6 4",
     [](const Tensor& x) {
       return x.view({6, 4});
     }},
    {"view -1 2",
     [](const Tensor& x) {
       return x.view({-1, 2});
     }},
    {"view 2 3 2 2",
     [](const Tensor& x) {
       return x.view({2, 3, 2, 2});
     }},
    {"view -1", [](const Tensor& x) { return x.view(-1); }},
    {"view_as",
     [](const Tensor& x) {
       return x.view_as(torch::zeros({4, 6}));
     }},
    {"reshape 6 4",
     [](const Tensor& x) {
       return x.reshape({6, 4});
     }},
    {"reshape -1", [](const Tensor& x) { return x.reshape(-1); }},
    {"reshape 1 2 3 4 1",
     [](const Tensor& x) {
       return x.reshape({1, 2, 3, 4, 1});
     }},
    {"flatten", [](const Tensor& x) { return x.flatten(); }},
    {"flatten 1", [](const Tensor& x) { return x.flatten(1); }},
    {"flatten 0 1", [](const Tensor& x) { return x.flatten(0, 1); }},
    {"flatten -1", [](const Tensor& x) { return x.flatten(-1); }},
    {"transpose 0 1", [](const Tensor& x) { return x.transpose(0, 1); }},
    {"transpose -1 0", [](const Tensor& x) { return x.transpose(-1, 0); }},
    {"permute",
     [](const Tensor& x) {
       return x.permute({2, 0, 1});
     }},
    {"permute negative",
     [](const Tensor& x) {
       return x.permute({-1, 0, -2});
     }},
    {"slice", [](const Tensor& x) { return x.slice(1, 1, 3); }},
    {"slice step", [](const Tensor& x) { return x.slice(2, 0, 4, 2); }},
    {"slice step 3", [](const Tensor& x) { return x.slice(2, 1, 4, 3); }},
    {"slice negative", [](const Tensor& x) { return x.slice(-1, -3, -1); }},
    {"slice beyond", [](const Tensor& x) { return x.slice(0, 1, 100); }},
    {"slice nothing", [](const Tensor& x) { return x.slice(1, 2, 2); }},
    {"slice backwards", [](const Tensor& x) { return x.slice(1, 2, 1); }},
    {"slice far", [](const Tensor& x) { return x.slice(1, -100, -50); }},
    {"select", [](const Tensor& x) { return x.select(1, 2); }},
    {"select negative", [](const Tensor& x) { return x.select(-1, -2); }},
    {"narrow", [](const Tensor& x) { return x.narrow(2, 1, 2); }},
    {"narrow none", [](const Tensor& x) { return x.narrow(0, 0, 0); }},
    {"narrow negative", [](const Tensor& x) { return x.narrow(1, -2, 2); }},
    {"[1]", [](const Tensor& x) { return x[1]; }},
    {"[-1]", [](const Tensor& x) { return x[-1]; }},
    {"[0][1][2]", [](const Tensor& x) { return x[0][1][2]; }},
    {"squeeze", [](const Tensor& x) { return x.squeeze(); }},
    {"squeeze 0", [](const Tensor& x) { return x.squeeze(0); }},
    {"unsqueeze 0", [](const Tensor& x) { return x.unsqueeze(0); }},
    {"unsqueeze 1", [](const Tensor& x) { return x.unsqueeze(1); }},
    {"unsqueeze -1", [](const Tensor& x) { return x.unsqueeze(-1); }},
    {"unsqueeze squeeze", [](const Tensor& x) { return x.unsqueeze(1).squeeze(1); }},
    {"expand",
     [](const Tensor& x) {
       return x.unsqueeze(1).expand({2, 5, 3, 4});
     }},
    {"expand -1",
     [](const Tensor& x) {
       return x.unsqueeze(0).expand({2, -1, -1, -1});
     }},
    {"expand in front",
     [](const Tensor& x) {
       return x.expand({3, 2, 3, 4});
     }},
    {"expand_as",
     [](const Tensor& x) {
       return x.expand_as(torch::zeros({2, 2, 3, 4}));
     }},
    {"broadcast_to",
     [](const Tensor& x) {
       return torch::broadcast_to(x, {2, 2, 3, 4});
     }},
    {"repeat",
     [](const Tensor& x) {
       return x.repeat({1, 2, 1});
     }},
    {"repeat in front",
     [](const Tensor& x) {
       return x.repeat({2, 1, 1, 2});
     }},
    {"repeat none",
     [](const Tensor& x) {
       return x.repeat({1, 0, 1});
     }},
    {"flip",
     [](const Tensor& x) {
       return x.flip({0, 2});
     }},
    {"flip -1", [](const Tensor& x) { return torch::flip(x, {-1}); }},
    {"contiguous", [](const Tensor& x) { return x.contiguous(); }},
    {"clone", [](const Tensor& x) { return x.clone(); }},
    {"detach", [](const Tensor& x) { return x.detach(); }},
    {"cat",
     [](const Tensor& x) {
       return torch::cat({x, x});
     }},
    {"cat -1",
     [](const Tensor& x) {
       return torch::cat({x, x, x}, -1);
     }},
    {"stack",
     [](const Tensor& x) {
       return torch::stack({x, x});
     }},
    {"stack 1",
     [](const Tensor& x) {
       return torch::stack({x, x}, 1);
     }},
    {"stack -1",
     [](const Tensor& x) {
       return torch::stack({x, x}, -1);
     }},
};

std::vector<Named> bases(torch::ScalarType type) {
  return {{"dense", formula({2, 3, 4}, type)},
          {"transposed", formula({4, 3, 2}, type).transpose(0, 2)},
          {"partly transposed", formula({3, 2, 4}, type).transpose(0, 1)},
          {"steps", formula({2, 3, 8}, type).slice(2, 0, 8, 2)},
          {"offset", formula({3, 3, 4}, type).narrow(0, 1, 2)},
          {"expanded", formula({3, 1}, type).expand({2, 3, 4})}};
}

void geometry() {
  for (const NamedType& type : {NamedType{"float32", torch::kFloat32}, {"int64", torch::kInt64}})
    for (const Named& base : bases(type.type)) {
      Context here(type.name + ", " + base.name);
      for (const View& view : views) {
        report(view.name, [&] { return view.apply(base.tensor); });
        report(std::string(view.name) + " shares",
               [&] { return shares_memory(view.apply(base.tensor), base.tensor); });
      }
    }
}

void lists() {
  for (const Named& base : bases(torch::kFloat32)) {
    Context here(base.name);
    const Tensor& x = base.tensor;
    REPORT(x.chunk(2, 1));
    REPORT(x.chunk(3, 2));
    REPORT(x.chunk(7, 0));
    REPORT(x.split(2, 1));
    REPORT(x.split(3, -1));
    REPORT(x.split(100, 0));
    REPORT(torch::split(x, 1));
    REPORT(x.unbind());
    REPORT(torch::unbind(x, -1));
    REPORT(torch::broadcast_tensors({x, torch::ones({4}), torch::ones({3, 1})}));
  }
  REPORT(torch::zeros({0, 2}).chunk(3));
  REPORT(torch::zeros({0, 2}).split(2));
  REPORT(torch::zeros({0, 2}).unbind());
}

void matrices() {
  const Tensor m = formula({2, 3});
  REPORT(m.t());
  REPORT(torch::t(m));
  REPORT(formula({3}).t());
  REPORT(formula({}).t());
  REPORT(torch::ones({1, 3, 1}).squeeze());
  REPORT(torch::ones({1, 3, 1}).squeeze(-1));
  REPORT(torch::squeeze(torch::ones({1, 1}), 1));
  REPORT(torch::ones({}).squeeze());
  REPORT(torch::ones({}).squeeze(0));
  REPORT(torch::ones({}).unsqueeze(0));
  REPORT(torch::ones({}).flatten());
  REPORT(torch::ones({}).view({1, 1}));
  REPORT(torch::ones({}).reshape({}));
  REPORT(torch::ones({1}).view(torch::IntArrayRef{}));
  REPORT(torch::ones({}).expand({2, 2}));
  REPORT(torch::ones({}).repeat({3}));
  REPORT(torch::zeros({0, 3}).view({3, 0}));
  REPORT(torch::zeros({0, 3}).view({-1, 3}));
  REPORT(torch::zeros({0, 3}).reshape({0, 5}));
  REPORT(torch::zeros({2, 0}).flatten());
  REPORT(torch::zeros({2, 0}).t());
  REPORT(torch::zeros({1, 3}).expand({0, 3}));
  REPORT(torch::flatten(m, 0, -1));
  REPORT(torch::permute(m, {1, 0}));
  REPORT(torch::reshape(m, {3, 2}));
  REPORT(torch::transpose(m, 0, 1));
  REPORT(torch::unsqueeze(m, 2));
  REPORT(torch::narrow(m, 1, 1, 2));
  REPORT(torch::select(m, 0, 1));
  REPORT(torch::slice(m, 1, 0, 2));
}

void joins() {
  const Tensor f = formula({2, 2});
  const Tensor d = formula({1, 2}, torch::kFloat64);
  const Tensor i = whole({3, 2}, 5);
  REPORT(torch::cat({f, d}));
  REPORT(torch::cat({i, f}));
  REPORT(torch::cat({i, i.to(torch::kInt32)}));
  REPORT(torch::cat({i, i > 2}));
  REPORT(torch::cat({f, torch::zeros({0})}));
  REPORT(torch::cat({torch::zeros({0, 2}), f}));
  REPORT(torch::cat({f.t(), f.t()}));
  REPORT(torch::cat({f.t(), f.t()}, 1));
  REPORT(torch::cat({f}));
  REPORT(torch::stack({f, f.t()}));
  REPORT(torch::stack({torch::tensor(1.5), torch::tensor(2.5)}));
  REPORT(torch::stack({f, f.to(torch::kFloat64)}));
  const Tensor image = formula({1, 2, 2, 2}).contiguous(torch::MemoryFormat::ChannelsLast);
  REPORT(torch::cat({image, image}));
  REPORT(torch::cat({image, image}, 1));
  REPORT(torch::stack({image, image}));
}

void written_through() {
  for (const View& view : views) {
    report(view.name, [&] {
      const Tensor base = formula({2, 3, 4});
      view.apply(base).mul_(2);
      return base;
    });
    report_gradients(
        std::string(view.name) + " in a graph",
        [&](const Tensors& x) {
          const Tensor base = x[0] * 1;
          const Tensor changed = view.apply(base);
          changed.mul_(3);
          return base.sum() + (changed * changed).sum();
        },
        {formula({2, 3, 4})}, false);
  }
  Tensor x = torch::zeros({2, 3});
  x[0] = 5;
  x[1][2] = torch::tensor(7);
  x.select(1, 0) = torch::tensor({1.5, 2.5});
  REPORT(x);
}

void gradients() {
  for (const Named& base : bases(torch::kFloat32)) {
    if (base.name == "expanded") continue;
    Context here(base.name);
    for (const View& view : views)
      report_gradients(view.name,
                       [&](const Tensors& x) {
                         const Tensor y = view.apply(x[0]);
                         return y * y;
                       },
                       {base.tensor});
    report_gradients("split", [](const Tensors& x) { return x[0].split(2, 1)[0].exp(); },
                     {base.tensor});
    report_gradients("chunk", [](const Tensors& x) { return x[0].chunk(2, 2)[1].exp(); },
                     {base.tensor});
    report_gradients("unbind", [](const Tensors& x) { return x[0].unbind(1)[2].exp(); },
                     {base.tensor});
    report_gradients("cat of two",
                     [](const Tensors& x) {
                       return torch::cat({x[0], x[1].exp()}, 1);
                     },
                     {base.tensor, formula({2, 1, 4})});
  }
}

void refused() {
  const Tensor x = formula({2, 3, 4});
  REPORT_THROWS(x.view({5, 5}));
  REPORT_THROWS(x.view({-1, -1}));
  REPORT_THROWS(x.view({-2, 12}));
  REPORT_THROWS(x.view({-1, 7}));
  REPORT_THROWS(x.transpose(0, 2).view({24}));
  REPORT_THROWS(torch::zeros({0}).view({-1, 0}));
  REPORT_THROWS(x.reshape({7}));
  REPORT_THROWS(x.flatten(2, 1));
  REPORT_THROWS(x.flatten(3));
  REPORT_THROWS(x.transpose(0, 3));
  REPORT_THROWS(x.t());
  REPORT_THROWS(x.permute({0, 1}));
  REPORT_THROWS(x.permute({0, 1, 1}));
  REPORT_THROWS(x.permute({0, 1, 3}));
  REPORT_THROWS(x.slice(3, 0, 1));
  REPORT_THROWS(x.slice(0, 0, 1, 0));
  REPORT_THROWS(x.slice(0, 0, 1, -1));
  REPORT_THROWS(x.select(0, 2));
  REPORT_THROWS(x.select(0, -3));
  REPORT_THROWS(x.select(3, 0));
  REPORT_THROWS(x[2]);
  REPORT_THROWS(torch::ones({})[0]);
  REPORT_THROWS(x.narrow(0, 1, 2));
  REPORT_THROWS(x.narrow(0, 0, -1));
  REPORT_THROWS(x.narrow(0, 3, 0));
  REPORT_THROWS(x.squeeze(3));
  REPORT_THROWS(x.unsqueeze(4));
  REPORT_THROWS(x.unsqueeze(-5));
  REPORT_THROWS(x.expand({3, 4}));
  REPORT_THROWS(x.expand({2, 5, 4}));
  REPORT_THROWS(x.expand({-1, 2, 3, 4}));
  REPORT_THROWS(x.repeat({2, 2}));
  REPORT_THROWS(x.repeat({1, -1, 1}));
  REPORT_THROWS(x.flip({3}));
  REPORT_THROWS(x.flip({0, 0}));
  REPORT_THROWS(x.chunk(0));
  REPORT_THROWS(x.chunk(2, 3));
  REPORT_THROWS(x.split(0));
  REPORT_THROWS(x.split(-1));
  REPORT_THROWS(x.unbind(3));
  REPORT_THROWS(torch::ones({}).unbind());
  REPORT_THROWS(torch::cat({x, torch::ones({2, 3})}));
  REPORT_THROWS(torch::cat({x, torch::ones({2, 2, 2})}));
  REPORT_THROWS(torch::cat({x, x}, 3));
  REPORT_THROWS(torch::cat(Tensors{}));
  REPORT_THROWS(torch::cat({torch::ones({}), torch::ones({})}));
  REPORT_THROWS(torch::stack({x, torch::ones({2})}));
  REPORT_THROWS(torch::stack(Tensors{}));
  REPORT_THROWS(torch::stack({x, x}, 4));
  REPORT_THROWS(torch::broadcast_tensors({x, torch::ones({5})}));
  REPORT_THROWS(torch::broadcast_to(x, {4}));
}

}  // namespace

int main() {
  geometry();
  lists();
  matrices();
  joins();
  written_through();
  gradients();
  refused();
  return 0;
}
