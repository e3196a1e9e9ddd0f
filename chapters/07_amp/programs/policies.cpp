// Tries operations in both 16-bit types, and prints the policies that follow next to td's. The
// exercise `cast_policy` decides; with --mine it is yours.
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "exercises.h"

namespace {

using td::autocast::Policy;

struct Line {
  const char* name;  // in td's table
  Operation operation;
  std::vector<td::TensorList> samples;
};

const char* name_of(Policy policy) {
  switch (policy) {
    case Policy::kLowerPrecision:
      return "lower precision";
    case Policy::kFloat:
      return "float";
    case Policy::kFloatOutput:
      return "float output";
    case Policy::kPromote:
      return "promote";
    case Policy::kUnlisted:
      return "unlisted";
    default:
      return "banned";
  }
}

std::vector<Line> lines(td::Device device) {
  const auto normal = [&](td::IntArrayRef sizes) { return td::randn(sizes).to(device); };
  const td::Tensor x = normal({64, 128}), logits = normal({64, 10}) * 8;
  const td::Tensor errors = normal({64, 10}) * 300;
  const auto one = [](td::Tensor (*function)(const td::Tensor&)) {
    return Operation{[function](const td::TensorList& a) { return function(a[0]); }};
  };
  return {
      {"matmul",
       {[](const td::TensorList& a) { return td::matmul(a[0], a[1]); }, true},
       {{x, normal({128, 32})}}},
      {"relu", one([](const td::Tensor& t) { return t.relu(); }), {{x}}},
      {"exp", one([](const td::Tensor& t) { return t.exp(); }), {{logits}}},
      {"softmax", one([](const td::Tensor& t) { return t.softmax(1); }), {{logits}}},
      {"mse_loss",
       {[](const td::TensorList& a) { return td::mse_loss(a[0], a[1]); }},
       {{errors, -errors}}},
      {"sum", one([](const td::Tensor& t) { return t.sum(); }), {{(x * 100).abs()}}},
  };
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch07-policies", "Tries operations in 16 bits.");
  command.takes({"seed"});
  return command.run(argc, argv, [](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    td::manual_seed(options.seed);
    std::cout << std::left << std::setw(14) << "operation" << std::setw(17) << "float16"
              << std::setw(17) << "bfloat16"
              << "td on cuda and sim\n";
    for (const Line& line : lines(device)) {
      std::cout << std::setw(14) << line.name;
      for (const td::ScalarType fast : {td::kFloat16, td::kBFloat16})
        std::cout << std::setw(17)
                  << name_of(choose_policy(line.operation, line.samples, fast, 0.05));
      const td::autocast::Rule* const rule = td::autocast::find(line.name);
      std::cout << name_of(rule ? td::autocast::policy_on(td::kCUDA, *rule) : Policy::kUnlisted)
                << '\n';
    }
  });
}
