// Tests of move_batch.
#include "lanes.h"
#include "loops.h"

TEST_CASE("data and target arrive, values and types unchanged", "[move_batch]") {
  for (const td::Device from : check::devices())
    for (const td::Device to : check::devices())
      for (const std::int64_t n : check::odd_sizes()) {
        const Batch batch = make_batch(n, from);
        const Batch moved = move_batch(batch, to);
        const std::string what =
            " of " + std::to_string(n) + " samples, " + from.str() + " to " + to.str();
        check::expect_on(moved.data, to, "the data" + what);
        check::expect_on(moved.target, to, "the target" + what);
        check::expect_dtype(moved.target, td::kInt64, "the target" + what);
        check::expect_close(moved.data, batch.data, 0, "the data" + what);
        check::expect_close(moved.target, batch.target, 0, "the target" + what);
      }
}

TEST_CASE("a target of real numbers keeps its type, too", "[move_batch]") {
  const Batch batch{td::zeros({3, 7}), td::tensor({0.5, 1.5, 2.5})};
  const Batch moved = move_batch(batch, "sim:0");
  check::expect_dtype(moved.target, td::kFloat32, "a target of real numbers");
  check::expect_close(moved.target, batch.target, 0, "a target of real numbers");
}

TEST_CASE("nothing is copied that is on the device already", "[move_batch]") {
  for (const td::Device device : check::devices()) {
    const Batch batch = make_batch(3, device);
    const Batch moved = move_batch(batch, device);
    check::expect(moved.data.is_same(batch.data) && moved.target.is_same(batch.target),
                  "the batch was on " + device.str() + " already and was copied");
    const Batch views{td::ones({7, 3}, device).t(), td::ones({2, 3}, device).t()};
    const Batch same = move_batch(views, device);
    check::expect(same.data.is_same(views.data) && same.target.is_same(views.target),
                  "a batch of transposed views was on " + device.str() + " already and was copied");
  }
}

TEST_CASE("each of the two parts moves for itself", "[move_batch]") {
  for (const bool data_is_there : {true, false}) {
    const Batch batch{make_batch(3, data_is_there ? "sim:0" : "cpu").data,
                      make_batch(3, data_is_there ? "cpu" : "sim:0").target};
    const Batch moved = move_batch(batch, "sim:0");
    const std::string there = data_is_there ? "data" : "target";
    const std::string what = " of a batch whose " + there + " was on sim:0 already";
    check::expect_on(moved.data, "sim:0", "the data" + what);
    check::expect_on(moved.target, "sim:0", "the target" + what);
    check::expect(
        data_is_there ? moved.data.is_same(batch.data) : moved.target.is_same(batch.target),
        "the " + there + what + " was copied: expected the very same tensor");
  }
}

TEST_CASE("both copies have finished when the function returns", "[move_batch]") {
  const Batch pinned = pinned_batch(33, 5);
  const td::Stream stream = td::getCurrentStream("sim:0");
  stream.synchronize();
  const LinkOf slow({1.0, 50e3});  // a transfer takes 50 ms
  move_batch(pinned, "sim:0");
  check::expect(stream.query(),
                "non_blocking is false, and a copy of pinned memory was still running when "
                "move_batch returned: pass non_blocking on to both copies");
}

TEST_CASE("the given batch does not change", "[move_batch]") {
  const Batch batch = make_batch(3);
  move_batch(batch, "sim:0");
  check::expect_on(batch.data, "cpu", "the data of the batch that was given");
  check::expect_on(batch.target, "cpu", "the target of the batch that was given");
}

TEST_CASE("with non_blocking and pinned memory the host does not wait", "[move_batch]") {
  const Batch pinned = pinned_batch(33, 5), pageable = make_batch(33);
  const auto waits = host_waits([&] { move_batch(pinned, "sim:0", /*non_blocking=*/true); });
  check::expect(waits == 0, "the host waited " + std::to_string(waits) +
                                " times for a batch in pinned memory, although non_blocking is "
                                "true: pass it on to both copies");
  check::expect(host_waits([&] { move_batch(pinned, "sim:0"); }) > 0,
                "the host did not wait, although non_blocking is false: the caller may change the "
                "batch's memory while it is being copied");
  const Batch moved = move_batch(pageable, "sim:0", true);
  check::expect_close(moved.data, pageable.data, 0, "pageable data, copied with non_blocking");
  check::expect_dtype(moved.target, td::kInt64, "a target, copied with non_blocking");
}

TEST_CASE("a copy comes after the work that is queued on the stream", "[move_batch]") {
  const td::StreamGuard guard(td::getStreamFromPool("sim:0"));
  const td::Tensor data = td::zeros({1023, 7}, td::Device("sim:0"));
  for (int i = 0; i < 30; ++i) data.fill_(i);
  const Batch moved = move_batch({data, td::zeros({1023}, td::Device("sim:0"))}, "cpu");
  check::expect_close(moved.data, td::full({1023, 7}, 29), 0,
                      "data that a queued operation was still changing");
}

TEST_CASE("data with any strides", "[move_batch]") {
  const td::Tensor data = td::arange(12).reshape({3, 4}).t();
  const Batch moved = move_batch({data, td::arange(4)}, "sim:0", true);
  check::expect_sizes(moved.data, {4, 3}, "transposed data");
  check::expect_close(moved.data, data, 0, "transposed data");
}

TEST_CASE("the last batch may be empty", "[move_batch]") {
  const Batch moved =
      move_batch({td::zeros({0, 7}), td::zeros({0}, td::TensorOptions(td::kInt64))}, "sim:0");
  check::expect_on(moved.data, "sim:0", "the data of an empty batch");
  check::expect_sizes(moved.data, {0, 7}, "the data of an empty batch");
}
