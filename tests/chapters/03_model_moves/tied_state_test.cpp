// Tests of tied_state.
#include "models.h"

using State = std::map<std::string, td::Tensor>;

TEST_CASE("every name has a copy on the device", "[tied_state]") {
  for (const td::Device from : check::devices())
    for (const td::Device to : check::devices()) {
      td::manual_seed(4);
      const State state = {{"a", td::randn({31}).to(from)}, {"b", td::randn({1, 33}).to(from)}};
      State copies = tied_state(state, to);
      check::expect(copies.size() == 2,
                    "two names were given, " + std::to_string(copies.size()) + " came back");
      for (const auto& [name, tensor] : state) {
        const std::string what = "\"" + name + "\" from " + from.str() + " to " + to.str();
        check::expect_on(copies[name], to, what);
        check::expect_close(copies[name], tensor, 0, what);
      }
    }
}

TEST_CASE("names that share a tensor share its copy", "[tied_state]") {
  const td::Tensor w = td::ones({3, 2});
  State copies = tied_state({{"in", w}, {"middle", td::ones({2})}, {"out", w}}, "sim:0");
  check::expect(
      copies["in"].defined() && copies["in"].is_same(copies["out"]),
      "\"in\" and \"out\" were one tensor and are two after the move: the tie is lost, and "
      "training would change one of them only");
}

TEST_CASE("a copy has memory of its own, on the same device too", "[tied_state]") {
  for (const td::Device device : check::devices()) {
    const td::Tensor w = td::ones({5}, device);
    State copies = tied_state({{"w", w}}, device);
    copies["w"].fill_(7);
    check::expect_close(w, td::ones({5}), 0,
                        "the original on " + device.str() + ", after its copy was changed");
  }
}

TEST_CASE("tensors with equal values are not tied", "[tied_state]") {
  State copies = tied_state({{"a", td::ones({4})}, {"b", td::ones({4})}}, "sim:0");
  check::expect(!copies["a"].is_same(copies["b"]),
                "\"a\" and \"b\" only had equal values; they are one tensor after the move");
}

TEST_CASE("two views of one memory are two tensors", "[tied_state]") {
  const td::Tensor whole = td::ones({4, 2});
  const td::Tensor first = whole.slice(0, 0, 2), turned = whole.t();
  State copies = tied_state({{"first", first}, {"turned", turned}}, "sim:0");
  check::expect(
      !copies["first"].is_same(copies["turned"]),
      "\"first\" (the upper rows of a tensor) and \"turned\" (its transpose) are two tensors "
      "over one memory, but you returned one copy for both: compare with is_same, not "
      "addresses");
  check::expect_sizes(copies["first"], {2, 2}, "\"first\", the upper rows of a tensor");
  check::expect_sizes(copies["turned"], {2, 4}, "\"turned\", the same tensor transposed");
  copies["first"].fill_(7);
  check::expect_close(copies["turned"], td::ones({2, 4}), 0,
                      "the copy of \"turned\", after the copy of \"first\" was changed");
}

TEST_CASE("a second handle from detach() is another tensor", "[tied_state]") {
  const td::Tensor w = td::ones({3, 2});
  State copies = tied_state({{"a", w}, {"b", w.detach()}, {"c", w}}, "sim:0");
  check::expect(
      !copies["a"].is_same(copies["b"]),
      "\"a\" and \"b\" have the same memory and the same sizes, but a.is_same(b) is false: "
      "they need two copies");
  check::expect(copies["a"].is_same(copies["c"]),
                "\"a\" and \"c\" were one tensor and are two now");
  copies["a"].fill_(5);
  check::expect_close(copies["b"], td::ones({3, 2}), 0, "\"b\" after \"a\" was changed");
}

TEST_CASE("each tensor is copied once", "[tied_state]") {
  const td::Tensor w = td::ones({64});
  const auto bytes = copied_bytes([&] {
    tied_state({{"a", w}, {"b", w}, {"c", w}, {"d", td::ones({2})}}, "sim:0");
  });
  check::expect(bytes == 66 * sizeof(float),
                "three names of one tensor of 64 floats and a tensor of 2 floats are 264 bytes to "
                "copy; " +
                    std::to_string(bytes) + " bytes were copied");
}

TEST_CASE("dtypes stay, and copies are not part of a graph", "[tied_state]") {
  const td::Tensor w = td::ones({3}).requires_grad_();
  for (const td::Device device : check::devices()) {
    const td::Tensor computed = (w * 2).to(device);  // the result of recorded operations
    State copies =
        tied_state({{"computed", computed}, {"n", td::ones({2}, td::kInt64)}, {"w", w}}, device);
    check::expect_dtype(copies["n"], td::kInt64, "\"n\" on " + device.str());
    check::expect(!copies["w"].requires_grad(),
                  "the copy of \"w\" on " + device.str() + " requires grad: copy w.detach()");
    check::expect(!copies["computed"].requires_grad() && copies["computed"].is_leaf(),
                  "the copy on " + device.str() +
                      " of a tensor that a recorded operation computed is part of its graph");
  }
}

TEST_CASE("a copy of a tensor that queued work still changes", "[tied_state]") {
  const td::Device a("sim:0");
  const td::StreamGuard guard(td::getStreamFromPool(a));
  td::Tensor w = td::ones({31}, a);
  td::synchronize(a);
  check::keep_busy(td::getCurrentStream(a));
  w.fill_(10);
  State copies = tied_state({{"w", w}}, "cpu");
  check::expect_close(copies["w"], td::full({31}, 10.0), 0,
                      "the copy on cpu of a tensor of sim:0 that queued work was still changing");
}

TEST_CASE("an empty state stays empty", "[tied_state]") {
  check::expect(tied_state({}, "sim:0").empty(), "a state without names became one with names");
}
