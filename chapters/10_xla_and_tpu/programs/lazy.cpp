// Trains a linear model with lazy tensors: says for each step whether its graph was compiled, and
// how many lines it has. The exercise `lazy` computes the values; with --mine it is yours. Without
// a plugin, td computes the lines one after another.
#include <cstdlib>
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "app/xla.h"
#include "exercises.h"
#include "programs.h"

namespace {

// "tensor<32x10xf32>"
std::string type_of(const lazy::Line& line) {
  std::string type = "tensor<";
  for (const std::int64_t size : line.sizes) type += std::to_string(size) + 'x';
  return type + "f32>";
}

// Returns the operation of line k of a graph in StableHLO.
std::string stablehlo_line(const lazy::Graph& graph, std::size_t k) {
  const lazy::Line& line = graph.lines[k];
  std::map<std::string, std::string> holes = {
      {"k", std::to_string(k)}, {"T", type_of(line)}, {"number", number(line.number)}};
  std::string text;
  for (std::size_t i = 0; i < line.operands.size(); ++i) {
    const std::size_t operand = line.operands[i];
    const std::string letter(1, static_cast<char>('a' + i)), type = type_of(graph.lines[operand]);
    holes[letter] = "%v" + std::to_string(operand);
    holes[letter + "_type"] = type;
    if (line.op == lazy::Op::kMatmul || type == type_of(line)) continue;
    const std::string repeated = "%v" + std::to_string(k) + "_" + letter;  // for each element
    text += "    " + repeated + " = stablehlo.broadcast_in_dim " + holes[letter] +
            ", dims = [] : (" + type + ") -> {T}\n";
    holes[letter] = repeated;
  }
  if (line.op == lazy::Op::kNumber)
    text += "    %v{k} = stablehlo.constant dense<{number}> : {T}\n";
  if (line.op == lazy::Op::kAdd) text += "    %v{k} = stablehlo.add {a}, {b} : {T}\n";
  if (line.op == lazy::Op::kMul) text += "    %v{k} = stablehlo.multiply {a}, {b} : {T}\n";
  if (line.op == lazy::Op::kMatmul)
    text +=
        "    %v{k} = stablehlo.dot_general {a}, {b}, contracting_dims = [1] x [0]\n"
        "      : ({a_type}, {b_type}) -> {T}\n";
  if (line.op == lazy::Op::kRelu)
    text +=
        "    %v{k}_zero = stablehlo.constant dense<0.0> : {T}\n"
        "    %v{k} = stablehlo.maximum {a}, %v{k}_zero : {T}\n";
  return fill(text, holes);
}

std::string stablehlo(const lazy::Graph& graph) {
  std::string arguments, types, results, lines;
  for (std::size_t k = 0; k < graph.lines.size(); ++k) {
    const std::string value = "%v" + std::to_string(k);
    if (graph.lines[k].op == lazy::Op::kInput)
      arguments += (arguments.empty() ? "" : ", ") + value + ": " + type_of(graph.lines[k]);
    else
      lines += stablehlo_line(graph, k);
  }
  for (const std::size_t k : graph.results) {
    results += (results.empty() ? "%v" : ", %v") + std::to_string(k);
    types += (types.empty() ? "" : ", ") + type_of(graph.lines[k]);
  }
  return "  func.func public @main(" + arguments + ") -> (" + types + ") {\n" + lines +
         "    return " + results + " : " + types + "\n  }\n";
}

lazy::Program compile_by_xla(const td::xla::Client& client, const lazy::Graph& graph) {
  const Executable program = client.compile(stablehlo(graph), {});
  return [client, program](const TensorList& inputs) {
    std::vector<Buffer> arguments;
    for (const td::Tensor& input : inputs) arguments.push_back(client.to_device(input));
    TensorList results;
    for (const Buffer& result : program.run(arguments)) results.push_back(result.to_host());
    return results;
  };
}

lazy::Program compile_by_td(const lazy::Graph& graph) {
  return [graph](const TensorList& inputs) {
    TensorList values, results;
    std::size_t next = 0;
    for (const lazy::Line& line : graph.lines) {
      const auto operand = [&](std::size_t i) { return values.at(line.operands.at(i)); };
      if (line.op == lazy::Op::kInput) values.push_back(inputs.at(next++));
      if (line.op == lazy::Op::kNumber) values.push_back(td::full({}, line.number));
      if (line.op == lazy::Op::kAdd) values.push_back(operand(0) + operand(1));
      if (line.op == lazy::Op::kMul) values.push_back(operand(0) * operand(1));
      if (line.op == lazy::Op::kMatmul) values.push_back(operand(0).matmul(operand(1)));
      if (line.op == lazy::Op::kRelu) values.push_back(operand(0).relu());
    }
    for (const std::size_t line : graph.results) results.push_back(values.at(line));
    return results;
  };
}

void train(lazy::Session& session, std::size_t& lines) {
  lazy::Tensor weight = lazy::input(td::zeros({10, 1}));
  const td::Tensor data = td::arange(320.0).sin().reshape({32, 10});
  for (const std::int64_t rows : {32, 32, 32, 4, 32}) {
    static int step = 0;
    const double rate = 0.1 / ++step;
    lines = 0;
    // anchor: step
    const td::Tensor x = data.narrow(0, 0, rows), y = x.sum({1}, true);
    const auto inputs = lazy::input(x), turned = lazy::input(x.t().contiguous());
    const auto error = lazy::add(lazy::matmul(inputs, weight), lazy::input(-y));
    const auto gradient = lazy::matmul(turned, error);
    const auto change = lazy::mul(lazy::number(-rate / static_cast<double>(rows)), gradient);
    weight = lazy::add(weight, change);  // nothing has run yet
    lazy_sync(session, {weight});
    // anchor end
    std::cout << "step " << step << ": " << rows << " rows, rate " << std::setprecision(3) << rate
              << (lines ? ", compiled " + std::to_string(lines) + " lines" : ", in the cache")
              << ", first weight " << weight->value[0][0].item<float>() << '\n';
  }
  std::cout << "programs compiled: " << session.programs.size() << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch10-lazy", "Trains with lazy tensors and counts the compilations.");
  command.without_device(app::kXlaDevices);
  return command.run(argc, argv, [](const app::Options&) {
    const char* const plugin = std::getenv("PJRT_PLUGIN");
    td::optional<td::xla::Client> client;
    if (plugin && *plugin)
      client = app::open_xla(1);
    else
      std::cout << "without XLA's plugin: td computes each line\n";
    std::size_t lines = 0;
    lazy::Session session{[&](const lazy::Graph& graph) {
      lines = graph.lines.size();
      return client ? compile_by_xla(*client, graph) : compile_by_td(graph);
    }};
    train(session, lines);
  });
}
