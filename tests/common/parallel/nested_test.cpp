// Inputs and outputs that are no plain tensors: what is split, copied to all replicas, or an
// error.
#include <map>

#include "lists.h"

using namespace td;
using List = std::vector<double>;

TEST_CASE("inputs and outputs are tuples, lists and maps of tensors, and numbers go everywhere") {
  using Named = std::map<std::string, Tensor>;
  struct Rich : nn::Cloneable<Rich> {
    void reset() override {}
    std::pair<Named, std::vector<Tensor>> forward(const Named& in, const std::vector<Tensor>& list,
                                                  double factor) {
      Named out;
      for (const auto& [key, value] : in) out[key] = value * factor;
      return {out, {list[0] + list[1], list[0].sum(), Tensor()}};
    }
  };
  for (const auto& devices : device_lists()) {
    const Tensor x = ramp(empty({4, 1}), 0, 1);
    nn::DataParallel parallel(std::make_shared<Rich>(), devices);
    const auto [out, list] = parallel->forward<std::pair<Named, std::vector<Tensor>>>(
        Named{{"a", x}, {"b", x + 1}}, std::vector<Tensor>{x, x * 10}, 3.0);
    CHECK(values(out.at("a")) == List{0, 3, 6, 9});
    CHECK(values(out.at("b")) == List{3, 6, 9, 12});
    CHECK(values(list[0]) == List{0, 11, 22, 33});
    CHECK(values(list[1]) == List{1, 5});  // one number a replica: two parts of two rows
    CHECK_FALSE(list[2].defined());
  }
}

TEST_CASE("an input whose tensors split differently is an error and is not truncated") {
  struct Add : nn::Cloneable<Add> {
    void reset() override {}
    Tensor forward(const Tensor& a, const Tensor& b) { return a + b; }
  };
  const auto input = std::make_tuple(ones({8, 1}), ones({3, 1}));
  CHECK(
      message<ShapeError>([&] {
        nn::parallel::data_parallel(std::make_shared<Add>(), input, {{"cpu", "cpu", "cpu", "cpu"}});
      }) ==
      "scatter: a tensor of sizes [3, 1] gives 3 parts on 4 devices but the first one, of sizes "
      "[8, 1], gives 4; all tensors of an input need the same size in dimension 0");
  CHECK(message<ShapeError>([&] {
          nn::parallel::scatter(std::make_tuple(ones({5, 1}), ones({2, 1})), {"cpu", "cpu"});
        }) ==
        "scatter: tensors of sizes [5, 1] and [2, 1] give parts that do not belong together; all "
        "tensors of an input need the same size in dimension 0");
}

TEST_CASE("outputs with other keys or lengths cannot be gathered") {
  struct Odd : nn::Cloneable<Odd> {
    void reset() override {}
    std::map<int, Tensor> forward(const Tensor& x) {
      return {{static_cast<int>(x.select(0, 0).item<float>()), x}};
    }
  };
  CHECK_THROWS_WITH(
      nn::parallel::data_parallel(std::make_shared<Odd>(), of({1, 2}, {2, 1}), {{"cpu", "cpu"}}),
      Catch::Contains("the same keys"));
}

TEST_CASE("a forward without arguments runs once") {
  struct Constant : nn::Cloneable<Constant> {
    void reset() override {}
    Tensor forward() {
      ++calls;
      return ones({2});
    }
    int calls = 0;
  };
  const auto module = std::make_shared<Constant>();
  nn::DataParallel parallel(module, {"sim:0", "sim:1"});
  CHECK(values(parallel->forward<Tensor>()) == List{1, 1});
  CHECK(module->calls == 1);
}
