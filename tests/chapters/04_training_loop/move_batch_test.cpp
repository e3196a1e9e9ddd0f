// Tests of move_batch.
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

TEST_CASE("nothing is copied where nothing is to be done", "[move_batch]") {
  for (const td::Device device : check::devices()) {
    const Batch batch = make_batch(3, device);
    const Batch moved = move_batch(batch, device);
    check::expect(moved.data.is_same(batch.data) && moved.target.is_same(batch.target),
                  "the batch was on " + device.str() + " already and was copied");
  }
}

TEST_CASE("the batch given stays as it was", "[move_batch]") {
  const Batch batch = make_batch(3);
  move_batch(batch, "sim:0");
  check::expect_on(batch.data, "cpu", "the data of the batch that was given");
}

TEST_CASE("the last batch may be empty", "[move_batch]") {
  const Batch moved =
      move_batch({td::zeros({0, 7}), td::zeros({0}, td::TensorOptions(td::kInt64))}, "sim:0");
  check::expect_on(moved.data, "sim:0", "the data of an empty batch");
  check::expect_sizes(moved.data, {0, 7}, "the data of an empty batch");
}
