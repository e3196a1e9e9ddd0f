// Tests of program_for: how often it compiles, and for which arguments.
#include "plugin.h"

namespace {

// Two programs that differ in their result, compiled once for all tests.
const Executable& returns(int number) {
  static std::map<int, Executable>& programs = *new std::map<int, Executable>;
  const auto found = programs.find(number);
  if (found != programs.end()) return found->second;
  const std::string text = fill(R"(
module @constant {
  func.func public @main() -> tensor<f32> {
    %result = stablehlo.constant dense<{number}> : tensor<f32>
    return %result : tensor<f32>
  }
}
)",
                                {{"number", number == 0 ? "0.0" : "1.0"}});
  return programs.emplace(number, compile(client_with(1), text)).first->second;
}

std::vector<Buffer> buffers(const std::vector<td::Tensor>& tensors) {
  std::vector<Buffer> all;
  for (const td::Tensor& tensor : tensors) all.push_back(client_with(1).to_device(tensor));
  return all;
}

// Whether a call with these arguments compiles.
bool compiles(Programs& programs, const std::vector<Buffer>& arguments) {
  int calls = 0;
  program_for(programs, arguments, [&] {
    ++calls;
    return returns(0);
  });
  check::expect(calls <= 1,
                "one call of program_for called compile " + std::to_string(calls) + " times");
  return calls == 1;
}

void expect_own_program(const std::vector<td::Tensor>& a, const std::vector<td::Tensor>& b,
                        const std::string& what) {
  Programs programs;
  check::expect(compiles(programs, buffers(a)), what + ": the first arguments must be compiled");
  check::expect(compiles(programs, buffers(b)),
                what +
                    ": the second arguments differ from the first ones, but compile was not "
                    "called; look at what your key contains");
  check::expect(!compiles(programs, buffers(a)) && !compiles(programs, buffers(b)),
                what + ": both programs are there, but compile was called again");
}

}  // namespace

TEST_CASE("steps of 32, 32, 20 and 32 rows compile twice", "[step_cache]") {
  Programs programs;
  std::string got;
  for (const std::int64_t rows : {32, 32, 20, 32, 20})
    got += compiles(programs, buffers({td::zeros({1, 10}), td::zeros({rows, 10})})) ? 'c' : '-';
  check::expect(got == "c-c--",
                "32, 32, 20, 32 and 20 rows: expected compile calls c-c-- (c: "
                "compiles), got " +
                    got);
  check::expect(programs.size() == 2, "after two sizes `programs` should have 2 entries, it has " +
                                          std::to_string(programs.size()));
}

TEST_CASE("the values of the arguments do not matter", "[step_cache]") {
  Programs programs;
  compiles(programs, buffers({td::zeros({3})}));
  check::expect(!compiles(programs, buffers({td::ones({3})})),
                "other values of the same sizes: compile was called again");
}

TEST_CASE("the sizes and types of all arguments matter", "[step_cache]") {
  const auto t = [](td::IntArrayRef sizes) { return td::zeros(sizes); };
  expect_own_program({t({2, 3})}, {t({3, 2})}, "sizes [2, 3] and [3, 2]");
  expect_own_program({t({2, 3})}, {t({6})}, "sizes [2, 3] and [6]");
  expect_own_program({t({2, 3})}, {t({23})}, "sizes [2, 3] and [23]");
  expect_own_program({t({1, 12})}, {t({11, 2})}, "sizes [1, 12] and [11, 2]");
  expect_own_program({t({2, 1})}, {t({2, 1, 1})}, "sizes [2, 1] and [2, 1, 1]");
  expect_own_program({t({})}, {t({1})}, "a scalar and a vector of one element");
  expect_own_program({t({2}), t({3})}, {t({2, 3})}, "two arguments and one argument");
  expect_own_program({t({2, 3}), t({4})}, {t({2}), t({3, 4})}, "sizes [2, 3], [4] and [2], [3, 4]");
  expect_own_program({t({2}), t({3})}, {t({3}), t({2})}, "sizes [2], [3] and [3], [2]");
  expect_own_program({t({5}), t({2})}, {t({5}), t({3})}, "the last of two arguments");
  expect_own_program({t({5}), t({2}), t({5})}, {t({5}), t({3}), t({5})}, "the middle one of three");
  expect_own_program({t({4})}, {td::zeros({4}, td::kInt)}, "float and int elements");
  expect_own_program({t({4}), td::zeros({4}, td::kInt)}, {td::zeros({4}, td::kInt), t({4})},
                     "float, int and int, float elements");
  expect_own_program({td::zeros({4}, td::kHalf)}, {td::zeros({4}, td::kBFloat16)},
                     "float16 and bfloat16 elements");
  expect_own_program({}, {t({})}, "no argument and one scalar");
}

TEST_CASE("each size gets its own program again", "[step_cache]") {
  Programs programs;
  for (int round = 0; round < 2; ++round)
    for (const int number : {0, 1}) {
      const auto arguments = buffers({td::zeros({number + 1})});
      const std::function<Executable()> make = [&] { return returns(number); };
      const Executable& program = program_for(programs, arguments, make);
      check::expect_close(program.run({}).at(0).to_host().item<double>(), number, 0,
                          "round " + std::to_string(round) + ": the result of the program for " +
                              std::to_string(number + 1) + " elements");
      bool stored = false;
      for (const auto& [key, entry] : programs) stored = stored || &entry == &program;
      check::expect(stored, "program_for must return the entry of `programs`, not a copy");
    }
}

TEST_CASE("two caches do not share programs", "[step_cache]") {
  Programs one, two;
  compiles(one, buffers({td::zeros({3})}));
  check::expect(compiles(two, buffers({td::zeros({3})})),
                "a new, empty `programs`: compile must be called; store nothing elsewhere");
}

TEST_CASE("an error of compile reaches the caller, and nothing is cached", "[step_cache]") {
  Programs programs;
  compiles(programs, buffers({td::zeros({1})}));
  check::expect_throws<std::runtime_error>(
      [&] {
        program_for(programs, buffers({td::zeros({2})}),
                    []() -> Executable { throw std::runtime_error("no memory for the program"); });
      },
      {"no memory for the program"}, "compile throws");
  check::expect(programs.size() == 1,
                "after compile has thrown, `programs` should have the 1 entry "
                "of before, it has " +
                    std::to_string(programs.size()));
  check::expect(compiles(programs, buffers({td::zeros({2})})),
                "after compile has thrown, the next call with these sizes must call it again");
}
