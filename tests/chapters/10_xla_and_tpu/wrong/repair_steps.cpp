#include "exercises.h"
#include "programs.h"

// answer: compiles_in_each_step
// expect: programs were compiled
// The rate is a constant of the program, so each rate is another program.
namespace compiles_in_each_step {
constexpr const char* kStep = R"(
module @train_step attributes {mhlo.num_replicas = {R} : i32, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%w: tensor<{F}xf32> {tf.aliasing_output = 0 : i32},
                         %x: tensor<{B}x{F}xf32>) -> tensor<{F}xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{B}x{F}xf32>, tensor<f32>) -> tensor<{F}xf32>
    %share = stablehlo.constant dense<{share}> : tensor<{F}xf32>
    %mean = stablehlo.multiply %sum, %share : tensor<{F}xf32>
    %grad = stablehlo.subtract %w, %mean : tensor<{F}xf32>
    %total = "stablehlo.all_reduce"(%grad) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %c : tensor<f32>
    }) {replica_groups = dense<[[{group}]]> : tensor<1x{R}xi64>}
      : (tensor<{F}xf32>) -> tensor<{F}xf32>
    %rates = stablehlo.constant dense<{rate}> : tensor<{F}xf32>
    %change = stablehlo.multiply %total, %rates : tensor<{F}xf32>
    %new_w = stablehlo.subtract %w, %change : tensor<{F}xf32>
    return %new_w : tensor<{F}xf32>
  }
})";

TensorList train_and_keep(const td::xla::Client& client, const td::Tensor& weight,
                          const std::vector<TensorList>& batches,
                          const std::function<double(std::size_t step)>& rate, std::size_t every) {
  const std::size_t replicas = client.devices().size();
  std::string group = "0";
  for (std::size_t r = 1; r < replicas; ++r) group += ", " + std::to_string(r);
  td::xla::CompileOptions options;
  options.replicas = static_cast<int>(replicas);
  std::vector<Buffer> weights;
  for (std::size_t r = 0; r < replicas; ++r) weights.push_back(client.to_device(weight, r));
  Programs programs;
  TensorList kept;
  for (std::size_t n = 0; n < batches.size(); ++n) {
    const std::int64_t rows = batches[n][0].size(0);
    std::map<std::string, std::string> values = {{"R", std::to_string(replicas)},
                                                 {"F", std::to_string(weight.size(0))},
                                                 {"B", std::to_string(rows)},
                                                 {"share", number(1 / static_cast<double>(rows))},
                                                 {"group", group}};
    values["rate"] = number(rate(n) / static_cast<double>(replicas));
    const std::string text = fill(kStep, values);
    auto step = programs.find(text);
    if (step == programs.end()) step = programs.emplace(text, client.compile(text, options)).first;
    std::vector<std::vector<Buffer>> arguments;
    for (std::size_t r = 0; r < replicas; ++r)
      arguments.push_back({weights[r], client.to_device(batches[n][r], r)});
    td::xla::Run run = step->second.start(arguments);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r) weights[r] = run.outputs(r)[0];
    if ((n + 1) % every == 0) kept.push_back(weights[0].to_host());
  }
  return kept;
}
}  // namespace compiles_in_each_step

// answer: sums_over_the_replicas
// expect: weight that was kept after step 1, with 2 replicas
// The gradient is the sum over the replicas.
namespace sums_over_the_replicas {
constexpr const char* kStep = R"(
module @train_step attributes {mhlo.num_replicas = {R} : i32, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%w: tensor<{F}xf32> {tf.aliasing_output = 0 : i32},
                         %x: tensor<{B}x{F}xf32>, %rate: tensor<f32>) -> tensor<{F}xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{B}x{F}xf32>, tensor<f32>) -> tensor<{F}xf32>
    %share = stablehlo.constant dense<{share}> : tensor<{F}xf32>
    %mean = stablehlo.multiply %sum, %share : tensor<{F}xf32>
    %grad = stablehlo.subtract %w, %mean : tensor<{F}xf32>
    %total = "stablehlo.all_reduce"(%grad) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %c : tensor<f32>
    }) {replica_groups = dense<[[{group}]]> : tensor<1x{R}xi64>}
      : (tensor<{F}xf32>) -> tensor<{F}xf32>
    %rates = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<{F}xf32>
    %change = stablehlo.multiply %total, %rates : tensor<{F}xf32>
    %new_w = stablehlo.subtract %w, %change : tensor<{F}xf32>
    return %new_w : tensor<{F}xf32>
  }
})";

TensorList train_and_keep(const td::xla::Client& client, const td::Tensor& weight,
                          const std::vector<TensorList>& batches,
                          const std::function<double(std::size_t step)>& rate, std::size_t every) {
  const std::size_t replicas = client.devices().size();
  std::string group = "0";
  for (std::size_t r = 1; r < replicas; ++r) group += ", " + std::to_string(r);
  td::xla::CompileOptions options;
  options.replicas = static_cast<int>(replicas);
  std::vector<Buffer> weights;
  for (std::size_t r = 0; r < replicas; ++r) weights.push_back(client.to_device(weight, r));
  Programs programs;
  TensorList kept;
  for (std::size_t n = 0; n < batches.size(); ++n) {
    const std::int64_t rows = batches[n][0].size(0);
    std::map<std::string, std::string> values = {{"R", std::to_string(replicas)},
                                                 {"F", std::to_string(weight.size(0))},
                                                 {"B", std::to_string(rows)},
                                                 {"share", number(1 / static_cast<double>(rows))},
                                                 {"group", group}};
    const std::string text = fill(kStep, values);
    auto step = programs.find(text);
    if (step == programs.end()) step = programs.emplace(text, client.compile(text, options)).first;
    std::vector<std::vector<Buffer>> arguments;
    const td::Tensor part = td::full({}, rate(n));
    for (std::size_t r = 0; r < replicas; ++r)
      arguments.push_back(
          {weights[r], client.to_device(batches[n][r], r), client.to_device(part, r)});
    td::xla::Run run = step->second.start(arguments);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r) weights[r] = run.outputs(r)[0];
    if ((n + 1) % every == 0) kept.push_back(weights[0].to_host());
  }
  return kept;
}
}  // namespace sums_over_the_replicas

// answer: keeps_donated_weights
// expect: XLA ended the training
// The next step deletes the buffer that was kept.
namespace keeps_donated_weights {
constexpr const char* kStep = R"(
module @train_step attributes {mhlo.num_replicas = {R} : i32, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%w: tensor<{F}xf32> {tf.aliasing_output = 0 : i32},
                         %x: tensor<{B}x{F}xf32>, %rate: tensor<f32>) -> tensor<{F}xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{B}x{F}xf32>, tensor<f32>) -> tensor<{F}xf32>
    %share = stablehlo.constant dense<{share}> : tensor<{F}xf32>
    %mean = stablehlo.multiply %sum, %share : tensor<{F}xf32>
    %grad = stablehlo.subtract %w, %mean : tensor<{F}xf32>
    %total = "stablehlo.all_reduce"(%grad) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %c : tensor<f32>
    }) {replica_groups = dense<[[{group}]]> : tensor<1x{R}xi64>}
      : (tensor<{F}xf32>) -> tensor<{F}xf32>
    %rates = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<{F}xf32>
    %change = stablehlo.multiply %total, %rates : tensor<{F}xf32>
    %new_w = stablehlo.subtract %w, %change : tensor<{F}xf32>
    return %new_w : tensor<{F}xf32>
  }
})";

TensorList train_and_keep(const td::xla::Client& client, const td::Tensor& weight,
                          const std::vector<TensorList>& batches,
                          const std::function<double(std::size_t step)>& rate, std::size_t every) {
  const std::size_t replicas = client.devices().size();
  std::string group = "0";
  for (std::size_t r = 1; r < replicas; ++r) group += ", " + std::to_string(r);
  td::xla::CompileOptions options;
  options.replicas = static_cast<int>(replicas);
  std::vector<Buffer> weights;
  for (std::size_t r = 0; r < replicas; ++r) weights.push_back(client.to_device(weight, r));
  Programs programs;
  std::vector<Buffer> kept;
  for (std::size_t n = 0; n < batches.size(); ++n) {
    const std::int64_t rows = batches[n][0].size(0);
    std::map<std::string, std::string> values = {{"R", std::to_string(replicas)},
                                                 {"F", std::to_string(weight.size(0))},
                                                 {"B", std::to_string(rows)},
                                                 {"share", number(1 / static_cast<double>(rows))},
                                                 {"group", group}};
    const std::string text = fill(kStep, values);
    auto step = programs.find(text);
    if (step == programs.end()) step = programs.emplace(text, client.compile(text, options)).first;
    std::vector<std::vector<Buffer>> arguments;
    const td::Tensor part = td::full({}, rate(n) / static_cast<double>(replicas));
    for (std::size_t r = 0; r < replicas; ++r)
      arguments.push_back(
          {weights[r], client.to_device(batches[n][r], r), client.to_device(part, r)});
    td::xla::Run run = step->second.start(arguments);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r) weights[r] = run.outputs(r)[0];
    if ((n + 1) % every == 0) kept.push_back(weights[0]);
  }
  TensorList results;
  for (const Buffer& one : kept) results.push_back(one.to_host());
  return results;
}
}  // namespace keeps_donated_weights

// answer: keeps_the_first_rate
// expect: weight that was kept after step 2
// One program for each number of rows, with the rate of the step that compiled it.
namespace keeps_the_first_rate {
constexpr const char* kStep = R"(
module @train_step attributes {mhlo.num_replicas = {R} : i32, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%w: tensor<{F}xf32> {tf.aliasing_output = 0 : i32},
                         %x: tensor<{B}x{F}xf32>) -> tensor<{F}xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{B}x{F}xf32>, tensor<f32>) -> tensor<{F}xf32>
    %share = stablehlo.constant dense<{share}> : tensor<{F}xf32>
    %mean = stablehlo.multiply %sum, %share : tensor<{F}xf32>
    %grad = stablehlo.subtract %w, %mean : tensor<{F}xf32>
    %total = "stablehlo.all_reduce"(%grad) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %c : tensor<f32>
    }) {replica_groups = dense<[[{group}]]> : tensor<1x{R}xi64>}
      : (tensor<{F}xf32>) -> tensor<{F}xf32>
    %rates = stablehlo.constant dense<{rate}> : tensor<{F}xf32>
    %change = stablehlo.multiply %total, %rates : tensor<{F}xf32>
    %new_w = stablehlo.subtract %w, %change : tensor<{F}xf32>
    return %new_w : tensor<{F}xf32>
  }
})";

TensorList train_and_keep(const td::xla::Client& client, const td::Tensor& weight,
                          const std::vector<TensorList>& batches,
                          const std::function<double(std::size_t step)>& rate, std::size_t every) {
  const std::size_t replicas = client.devices().size();
  std::string group = "0";
  for (std::size_t r = 1; r < replicas; ++r) group += ", " + std::to_string(r);
  td::xla::CompileOptions options;
  options.replicas = static_cast<int>(replicas);
  std::vector<Buffer> weights;
  for (std::size_t r = 0; r < replicas; ++r) weights.push_back(client.to_device(weight, r));
  Programs programs;
  TensorList kept;
  for (std::size_t n = 0; n < batches.size(); ++n) {
    const std::int64_t rows = batches[n][0].size(0);
    std::map<std::string, std::string> values = {{"R", std::to_string(replicas)},
                                                 {"F", std::to_string(weight.size(0))},
                                                 {"B", std::to_string(rows)},
                                                 {"share", number(1 / static_cast<double>(rows))},
                                                 {"group", group}};
    values["rate"] = number(rate(n) / static_cast<double>(replicas));
    const std::string key = std::to_string(rows);
    auto step = programs.find(key);
    if (step == programs.end())
      step = programs.emplace(key, client.compile(fill(kStep, values), options)).first;
    std::vector<std::vector<Buffer>> arguments;
    for (std::size_t r = 0; r < replicas; ++r)
      arguments.push_back({weights[r], client.to_device(batches[n][r], r)});
    td::xla::Run run = step->second.start(arguments);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r) weights[r] = run.outputs(r)[0];
    if ((n + 1) % every == 0) kept.push_back(weights[0].to_host());
  }
  return kept;
}
}  // namespace keeps_the_first_rate

// answer: one_rate_for_all
// expect: weight that was kept after step 2
// The rate of the first step for all steps: one program, and wrong numbers.
namespace one_rate_for_all {
constexpr const char* kStep = R"(
module @train_step attributes {mhlo.num_replicas = {R} : i32, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%w: tensor<{F}xf32> {tf.aliasing_output = 0 : i32},
                         %x: tensor<{B}x{F}xf32>, %rate: tensor<f32>) -> tensor<{F}xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{B}x{F}xf32>, tensor<f32>) -> tensor<{F}xf32>
    %share = stablehlo.constant dense<{share}> : tensor<{F}xf32>
    %mean = stablehlo.multiply %sum, %share : tensor<{F}xf32>
    %grad = stablehlo.subtract %w, %mean : tensor<{F}xf32>
    %total = "stablehlo.all_reduce"(%grad) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %c : tensor<f32>
    }) {replica_groups = dense<[[{group}]]> : tensor<1x{R}xi64>}
      : (tensor<{F}xf32>) -> tensor<{F}xf32>
    %rates = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<{F}xf32>
    %change = stablehlo.multiply %total, %rates : tensor<{F}xf32>
    %new_w = stablehlo.subtract %w, %change : tensor<{F}xf32>
    return %new_w : tensor<{F}xf32>
  }
})";

TensorList train_and_keep(const td::xla::Client& client, const td::Tensor& weight,
                          const std::vector<TensorList>& batches,
                          const std::function<double(std::size_t step)>& rate, std::size_t every) {
  const std::size_t replicas = client.devices().size();
  std::string group = "0";
  for (std::size_t r = 1; r < replicas; ++r) group += ", " + std::to_string(r);
  td::xla::CompileOptions options;
  options.replicas = static_cast<int>(replicas);
  std::vector<Buffer> weights;
  for (std::size_t r = 0; r < replicas; ++r) weights.push_back(client.to_device(weight, r));
  Programs programs;
  TensorList kept;
  for (std::size_t n = 0; n < batches.size(); ++n) {
    const std::int64_t rows = batches[n][0].size(0);
    std::map<std::string, std::string> values = {{"R", std::to_string(replicas)},
                                                 {"F", std::to_string(weight.size(0))},
                                                 {"B", std::to_string(rows)},
                                                 {"share", number(1 / static_cast<double>(rows))},
                                                 {"group", group}};
    const std::string text = fill(kStep, values);
    auto step = programs.find(text);
    if (step == programs.end()) step = programs.emplace(text, client.compile(text, options)).first;
    std::vector<std::vector<Buffer>> arguments;
    const td::Tensor part = td::full({}, rate(0) / static_cast<double>(replicas));
    for (std::size_t r = 0; r < replicas; ++r)
      arguments.push_back(
          {weights[r], client.to_device(batches[n][r], r), client.to_device(part, r)});
    td::xla::Run run = step->second.start(arguments);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r) weights[r] = run.outputs(r)[0];
    if ((n + 1) % every == 0) kept.push_back(weights[0].to_host());
  }
  return kept;
}
}  // namespace one_rate_for_all

// answer: a_new_cache_in_each_step
// expect: programs were compiled
// The programs are forgotten after each step.
namespace a_new_cache_in_each_step {
constexpr const char* kStep = R"(
module @train_step attributes {mhlo.num_replicas = {R} : i32, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%w: tensor<{F}xf32> {tf.aliasing_output = 0 : i32},
                         %x: tensor<{B}x{F}xf32>, %rate: tensor<f32>) -> tensor<{F}xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{B}x{F}xf32>, tensor<f32>) -> tensor<{F}xf32>
    %share = stablehlo.constant dense<{share}> : tensor<{F}xf32>
    %mean = stablehlo.multiply %sum, %share : tensor<{F}xf32>
    %grad = stablehlo.subtract %w, %mean : tensor<{F}xf32>
    %total = "stablehlo.all_reduce"(%grad) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %c : tensor<f32>
    }) {replica_groups = dense<[[{group}]]> : tensor<1x{R}xi64>}
      : (tensor<{F}xf32>) -> tensor<{F}xf32>
    %rates = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<{F}xf32>
    %change = stablehlo.multiply %total, %rates : tensor<{F}xf32>
    %new_w = stablehlo.subtract %w, %change : tensor<{F}xf32>
    return %new_w : tensor<{F}xf32>
  }
})";

TensorList train_and_keep(const td::xla::Client& client, const td::Tensor& weight,
                          const std::vector<TensorList>& batches,
                          const std::function<double(std::size_t step)>& rate, std::size_t every) {
  const std::size_t replicas = client.devices().size();
  std::string group = "0";
  for (std::size_t r = 1; r < replicas; ++r) group += ", " + std::to_string(r);
  td::xla::CompileOptions options;
  options.replicas = static_cast<int>(replicas);
  std::vector<Buffer> weights;
  for (std::size_t r = 0; r < replicas; ++r) weights.push_back(client.to_device(weight, r));
  Programs programs;
  TensorList kept;
  for (std::size_t n = 0; n < batches.size(); ++n) {
    const std::int64_t rows = batches[n][0].size(0);
    std::map<std::string, std::string> values = {{"R", std::to_string(replicas)},
                                                 {"F", std::to_string(weight.size(0))},
                                                 {"B", std::to_string(rows)},
                                                 {"share", number(1 / static_cast<double>(rows))},
                                                 {"group", group}};
    programs.clear();
    const std::string text = fill(kStep, values);
    auto step = programs.find(text);
    if (step == programs.end()) step = programs.emplace(text, client.compile(text, options)).first;
    std::vector<std::vector<Buffer>> arguments;
    const td::Tensor part = td::full({}, rate(n) / static_cast<double>(replicas));
    for (std::size_t r = 0; r < replicas; ++r)
      arguments.push_back(
          {weights[r], client.to_device(batches[n][r], r), client.to_device(part, r)});
    td::xla::Run run = step->second.start(arguments);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r) weights[r] = run.outputs(r)[0];
    if ((n + 1) % every == 0) kept.push_back(weights[0].to_host());
  }
  return kept;
}
}  // namespace a_new_cache_in_each_step

// answer: compiles_for_the_first_size
// expect: XLA ended the training
// The program of the first step runs with the rows of another one.
namespace compiles_for_the_first_size {
constexpr const char* kStep = R"(
module @train_step attributes {mhlo.num_replicas = {R} : i32, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%w: tensor<{F}xf32> {tf.aliasing_output = 0 : i32},
                         %x: tensor<{B}x{F}xf32>, %rate: tensor<f32>) -> tensor<{F}xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{B}x{F}xf32>, tensor<f32>) -> tensor<{F}xf32>
    %share = stablehlo.constant dense<{share}> : tensor<{F}xf32>
    %mean = stablehlo.multiply %sum, %share : tensor<{F}xf32>
    %grad = stablehlo.subtract %w, %mean : tensor<{F}xf32>
    %total = "stablehlo.all_reduce"(%grad) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %c : tensor<f32>
    }) {replica_groups = dense<[[{group}]]> : tensor<1x{R}xi64>}
      : (tensor<{F}xf32>) -> tensor<{F}xf32>
    %rates = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<{F}xf32>
    %change = stablehlo.multiply %total, %rates : tensor<{F}xf32>
    %new_w = stablehlo.subtract %w, %change : tensor<{F}xf32>
    return %new_w : tensor<{F}xf32>
  }
})";

TensorList train_and_keep(const td::xla::Client& client, const td::Tensor& weight,
                          const std::vector<TensorList>& batches,
                          const std::function<double(std::size_t step)>& rate, std::size_t every) {
  const std::size_t replicas = client.devices().size();
  std::string group = "0";
  for (std::size_t r = 1; r < replicas; ++r) group += ", " + std::to_string(r);
  td::xla::CompileOptions options;
  options.replicas = static_cast<int>(replicas);
  std::vector<Buffer> weights;
  for (std::size_t r = 0; r < replicas; ++r) weights.push_back(client.to_device(weight, r));
  Programs programs;
  TensorList kept;
  for (std::size_t n = 0; n < batches.size(); ++n) {
    const std::int64_t rows = batches[n][0].size(0);
    std::map<std::string, std::string> values = {{"R", std::to_string(replicas)},
                                                 {"F", std::to_string(weight.size(0))},
                                                 {"B", std::to_string(rows)},
                                                 {"share", number(1 / static_cast<double>(rows))},
                                                 {"group", group}};
    const std::string key = "step";
    auto step = programs.find(key);
    if (step == programs.end())
      step = programs.emplace(key, client.compile(fill(kStep, values), options)).first;
    std::vector<std::vector<Buffer>> arguments;
    const td::Tensor part = td::full({}, rate(n) / static_cast<double>(replicas));
    for (std::size_t r = 0; r < replicas; ++r)
      arguments.push_back(
          {weights[r], client.to_device(batches[n][r], r), client.to_device(part, r)});
    td::xla::Run run = step->second.start(arguments);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r) weights[r] = run.outputs(r)[0];
    if ((n + 1) % every == 0) kept.push_back(weights[0].to_host());
  }
  return kept;
}
}  // namespace compiles_for_the_first_size

// answer: keeps_the_last_weights
// expect: weight that was kept after step 2
// Reads the weights at the end: all of those that were kept are the last ones.
namespace keeps_the_last_weights {
constexpr const char* kStep = R"(
module @train_step attributes {mhlo.num_replicas = {R} : i32, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%w: tensor<{F}xf32> {tf.aliasing_output = 0 : i32},
                         %x: tensor<{B}x{F}xf32>, %rate: tensor<f32>) -> tensor<{F}xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{B}x{F}xf32>, tensor<f32>) -> tensor<{F}xf32>
    %share = stablehlo.constant dense<{share}> : tensor<{F}xf32>
    %mean = stablehlo.multiply %sum, %share : tensor<{F}xf32>
    %grad = stablehlo.subtract %w, %mean : tensor<{F}xf32>
    %total = "stablehlo.all_reduce"(%grad) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %c : tensor<f32>
    }) {replica_groups = dense<[[{group}]]> : tensor<1x{R}xi64>}
      : (tensor<{F}xf32>) -> tensor<{F}xf32>
    %rates = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<{F}xf32>
    %change = stablehlo.multiply %total, %rates : tensor<{F}xf32>
    %new_w = stablehlo.subtract %w, %change : tensor<{F}xf32>
    return %new_w : tensor<{F}xf32>
  }
})";

TensorList train_and_keep(const td::xla::Client& client, const td::Tensor& weight,
                          const std::vector<TensorList>& batches,
                          const std::function<double(std::size_t step)>& rate, std::size_t every) {
  const std::size_t replicas = client.devices().size();
  std::string group = "0";
  for (std::size_t r = 1; r < replicas; ++r) group += ", " + std::to_string(r);
  td::xla::CompileOptions options;
  options.replicas = static_cast<int>(replicas);
  std::vector<Buffer> weights;
  for (std::size_t r = 0; r < replicas; ++r) weights.push_back(client.to_device(weight, r));
  Programs programs;
  std::size_t kept = 0;
  for (std::size_t n = 0; n < batches.size(); ++n) {
    const std::int64_t rows = batches[n][0].size(0);
    std::map<std::string, std::string> values = {{"R", std::to_string(replicas)},
                                                 {"F", std::to_string(weight.size(0))},
                                                 {"B", std::to_string(rows)},
                                                 {"share", number(1 / static_cast<double>(rows))},
                                                 {"group", group}};
    const std::string text = fill(kStep, values);
    auto step = programs.find(text);
    if (step == programs.end()) step = programs.emplace(text, client.compile(text, options)).first;
    std::vector<std::vector<Buffer>> arguments;
    const td::Tensor part = td::full({}, rate(n) / static_cast<double>(replicas));
    for (std::size_t r = 0; r < replicas; ++r)
      arguments.push_back(
          {weights[r], client.to_device(batches[n][r], r), client.to_device(part, r)});
    td::xla::Run run = step->second.start(arguments);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r) weights[r] = run.outputs(r)[0];
    if ((n + 1) % every == 0) ++kept;
  }
  TensorList results;
  for (std::size_t i = 0; i < kept; ++i) results.push_back(weights[0].to_host());
  return results;
}
}  // namespace keeps_the_last_weights

// answer: each_replica_alone
// expect: weight that was kept after step 1, with 2 replicas
// Without the all-reduce each replica follows its own batch.
namespace each_replica_alone {
constexpr const char* kStep = R"(
module @train_step attributes {mhlo.num_replicas = {R} : i32, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%w: tensor<{F}xf32> {tf.aliasing_output = 0 : i32},
                         %x: tensor<{B}x{F}xf32>, %rate: tensor<f32>) -> tensor<{F}xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{B}x{F}xf32>, tensor<f32>) -> tensor<{F}xf32>
    %share = stablehlo.constant dense<{share}> : tensor<{F}xf32>
    %mean = stablehlo.multiply %sum, %share : tensor<{F}xf32>
    %grad = stablehlo.subtract %w, %mean : tensor<{F}xf32>
    %total = stablehlo.add %grad, %grad : tensor<{F}xf32>
    %rates = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<{F}xf32>
    %change = stablehlo.multiply %total, %rates : tensor<{F}xf32>
    %new_w = stablehlo.subtract %w, %change : tensor<{F}xf32>
    return %new_w : tensor<{F}xf32>
  }
})";

TensorList train_and_keep(const td::xla::Client& client, const td::Tensor& weight,
                          const std::vector<TensorList>& batches,
                          const std::function<double(std::size_t step)>& rate, std::size_t every) {
  const std::size_t replicas = client.devices().size();
  std::string group = "0";
  for (std::size_t r = 1; r < replicas; ++r) group += ", " + std::to_string(r);
  td::xla::CompileOptions options;
  options.replicas = static_cast<int>(replicas);
  std::vector<Buffer> weights;
  for (std::size_t r = 0; r < replicas; ++r) weights.push_back(client.to_device(weight, r));
  Programs programs;
  TensorList kept;
  for (std::size_t n = 0; n < batches.size(); ++n) {
    const std::int64_t rows = batches[n][0].size(0);
    std::map<std::string, std::string> values = {{"R", std::to_string(replicas)},
                                                 {"F", std::to_string(weight.size(0))},
                                                 {"B", std::to_string(rows)},
                                                 {"share", number(1 / static_cast<double>(rows))},
                                                 {"group", group}};
    const std::string text = fill(kStep, values);
    auto step = programs.find(text);
    if (step == programs.end()) step = programs.emplace(text, client.compile(text, options)).first;
    std::vector<std::vector<Buffer>> arguments;
    const td::Tensor part = td::full({}, rate(n) / 2.0);
    for (std::size_t r = 0; r < replicas; ++r)
      arguments.push_back(
          {weights[r], client.to_device(batches[n][r], r), client.to_device(part, r)});
    td::xla::Run run = step->second.start(arguments);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r) weights[r] = run.outputs(r)[0];
    if ((n + 1) % every == 0) kept.push_back(weights[0].to_host());
  }
  return kept;
}
}  // namespace each_replica_alone

// answer: keeps_after_the_wrong_steps
// expect: weights of steps
// Counts the steps from 0.
namespace keeps_after_the_wrong_steps {
constexpr const char* kStep = R"(
module @train_step attributes {mhlo.num_replicas = {R} : i32, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%w: tensor<{F}xf32> {tf.aliasing_output = 0 : i32},
                         %x: tensor<{B}x{F}xf32>, %rate: tensor<f32>) -> tensor<{F}xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{B}x{F}xf32>, tensor<f32>) -> tensor<{F}xf32>
    %share = stablehlo.constant dense<{share}> : tensor<{F}xf32>
    %mean = stablehlo.multiply %sum, %share : tensor<{F}xf32>
    %grad = stablehlo.subtract %w, %mean : tensor<{F}xf32>
    %total = "stablehlo.all_reduce"(%grad) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %c : tensor<f32>
    }) {replica_groups = dense<[[{group}]]> : tensor<1x{R}xi64>}
      : (tensor<{F}xf32>) -> tensor<{F}xf32>
    %rates = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<{F}xf32>
    %change = stablehlo.multiply %total, %rates : tensor<{F}xf32>
    %new_w = stablehlo.subtract %w, %change : tensor<{F}xf32>
    return %new_w : tensor<{F}xf32>
  }
})";

TensorList train_and_keep(const td::xla::Client& client, const td::Tensor& weight,
                          const std::vector<TensorList>& batches,
                          const std::function<double(std::size_t step)>& rate, std::size_t every) {
  const std::size_t replicas = client.devices().size();
  std::string group = "0";
  for (std::size_t r = 1; r < replicas; ++r) group += ", " + std::to_string(r);
  td::xla::CompileOptions options;
  options.replicas = static_cast<int>(replicas);
  std::vector<Buffer> weights;
  for (std::size_t r = 0; r < replicas; ++r) weights.push_back(client.to_device(weight, r));
  Programs programs;
  TensorList kept;
  for (std::size_t n = 0; n < batches.size(); ++n) {
    const std::int64_t rows = batches[n][0].size(0);
    std::map<std::string, std::string> values = {{"R", std::to_string(replicas)},
                                                 {"F", std::to_string(weight.size(0))},
                                                 {"B", std::to_string(rows)},
                                                 {"share", number(1 / static_cast<double>(rows))},
                                                 {"group", group}};
    const std::string text = fill(kStep, values);
    auto step = programs.find(text);
    if (step == programs.end()) step = programs.emplace(text, client.compile(text, options)).first;
    std::vector<std::vector<Buffer>> arguments;
    const td::Tensor part = td::full({}, rate(n) / static_cast<double>(replicas));
    for (std::size_t r = 0; r < replicas; ++r)
      arguments.push_back(
          {weights[r], client.to_device(batches[n][r], r), client.to_device(part, r)});
    td::xla::Run run = step->second.start(arguments);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r) weights[r] = run.outputs(r)[0];
    if (n % every == 0) kept.push_back(weights[0].to_host());
  }
  return kept;
}
}  // namespace keeps_after_the_wrong_steps

// answer: halves_the_rate
// expect: with 3 replicas
// Halves the sum of all replicas. Right with one replica and with two.
namespace halves_the_rate {
const std::string kHead =
    R"(module @train_step attributes {mhlo.num_replicas = {R} : i32, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%w: tensor<{F}xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<{B}x{F}xf32>, %rate: tensor<f32>) -> tensor<{F}xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<{B}x{F}xf32>, tensor<f32>) -> tensor<{F}xf32>
    %share = stablehlo.constant dense<{share}> : tensor<{F}xf32>
    %mean = stablehlo.multiply %sum, %share : tensor<{F}xf32>
    %grad = stablehlo.subtract %w, %mean : tensor<{F}xf32>
    %total = "stablehlo.all_reduce"(%grad) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %c : tensor<f32>
    }) {replica_groups = dense<[[{group}]]> : tensor<1x{R}xi64>} : (tensor<{F}xf32>) -> tensor<{F}xf32>
    %part = stablehlo.constant dense<{part}> : tensor<{F}xf32>
    %average = stablehlo.multiply %total, %part : tensor<{F}xf32>
    %rates = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<{F}xf32>
    %change = stablehlo.multiply %average, %rates : tensor<{F}xf32>
    %new_w = stablehlo.subtract %w, %change : tensor<{F}xf32>
    return %new_w : tensor<{F}xf32>
  }
})";
TensorList train_and_keep(const td::xla::Client& client, const td::Tensor& weight,
                          const std::vector<TensorList>& batches,
                          const std::function<double(std::size_t step)>& rate, std::size_t every) {
  const std::size_t replicas = client.devices().size();
  std::string group = "0";
  for (std::size_t r = 1; r < replicas; ++r) group += ", " + std::to_string(r);
  td::xla::CompileOptions options;
  options.replicas = static_cast<int>(replicas);
  std::vector<Buffer> weights;
  for (std::size_t r = 0; r < replicas; ++r) weights.push_back(client.to_device(weight, r));
  Programs programs;
  TensorList results;
  std::vector<Buffer> kept;
  for (std::size_t n = 0; n < batches.size(); ++n) {
    const std::int64_t rows = batches[n][0].size(0);
    std::map<std::string, std::string> values = {
        {"R", std::to_string(replicas)},
        {"F", std::to_string(weight.size(0))},
        {"B", std::to_string(rows)},
        {"share", number(1 / static_cast<double>(rows))},
        {"part", number(1 / static_cast<double>(replicas))},
        {"group", group}};
    values["part"] = replicas > 1 ? "0.5" : "1.0";
    const std::string text = fill(kHead, values);
    auto step = programs.find(text);
    if (step == programs.end()) step = programs.emplace(text, client.compile(text, options)).first;
    std::vector<std::vector<Buffer>> arguments;
    for (std::size_t r = 0; r < replicas; ++r)
      arguments.push_back({weights[r], client.to_device(batches[n][r], r),
                           client.to_device(td::full({}, rate(n)), r)});
    td::xla::Run run = step->second.start(arguments);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r) weights[r] = run.outputs(r)[0];
    if ((n + 1) % every == 0) results.push_back(weights[0].to_host());
  }
  return results;
}
}  // namespace halves_the_rate
