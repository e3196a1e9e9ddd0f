// Shapes-10: the same seed gives the same images, other seeds and the test set other ones; a
// convolution learns them and a linear classifier does not.
#include "data/data.h"
#include "folder.h"
#include "td/autograd/modes.h"
#include "td/nn/nn.h"
#include "td/optim/optim.h"

using namespace td;
using namespace td::data;

namespace {

bool same(const datasets::ImageDataset& a, const datasets::ImageDataset& b) {
  return a.images().equal(b.images());
}

}  // namespace

TEST_CASE("images depend only on the seed, and the test set repeats no training image") {
  const auto train = draw_shapes10(40, 3, true), again = draw_shapes10(40, 3, true);
  CHECK(same(train, again));
  CHECK(train.images().sizes() == IntArrayRef{40, 3, 32, 32});
  CHECK(train.images().dtype() == kByte);
  CHECK_FALSE(same(train, draw_shapes10(40, 4, true)));
  CHECK_FALSE(same(train, draw_shapes10(40, 3, false)));
  CHECK(draw_shapes10(5, 3, true, 1).images().sizes() == IntArrayRef{5, 1, 28, 28});
  // No test image is a training image: compare all pairs by their bytes.
  const auto test = draw_shapes10(40, 3, false);
  std::vector<std::vector<double>> pictures;
  for (std::int64_t i = 0; i < 40; ++i) pictures.push_back(values(train.images()[i]));
  for (std::int64_t i = 0; i < 40; ++i)
    CHECK(std::find(pictures.begin(), pictures.end(), values(test.images()[i])) == pictures.end());
  // A longer set begins with the shorter one.
  CHECK(draw_shapes10(60, 3, true).images().narrow(0, 0, 40).equal(train.images()));
}

TEST_CASE("the files hold what is drawn, in both formats") {
  TemporaryFolder folder;
  std::vector<std::string> seen;
  const auto progress = [&](const std::string& file, std::size_t done, std::size_t total) {
    CHECK(done <= total);
    if (done == total) seen.push_back(file);
  };
  write_shapes10(folder / "colour", 3, progress, {52, 10});
  CHECK(seen == std::vector<std::string>{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                         "data_batch_4.bin", "data_batch_5.bin", "test_batch.bin"});
  const datasets::CIFAR10 train(folder / "colour"),
      test(folder / "colour", datasets::CIFAR10::Mode::kTest);
  CHECK(same(train, draw_shapes10(52, 3, true)));
  CHECK(same(test, draw_shapes10(10, 3, false)));
  CHECK(train.classes() == shapes10_classes());
  CHECK(values(test.targets()) == std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  write_grey_shapes10(folder / "grey", 3, {}, {20, 10});
  const datasets::MNIST grey(folder / "grey"),
      grey_test(folder / "grey", datasets::MNIST::Mode::kTest);
  CHECK(same(grey, draw_shapes10(20, 3, true, 1)));
  CHECK(same(grey_test, draw_shapes10(10, 3, false, 1)));
}
