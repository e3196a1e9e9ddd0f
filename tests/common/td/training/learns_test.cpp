// The purpose of Shapes-10 on a small scale: after a few seconds of training a small convolution is
// far better than a linear classifier on the same images. The full claim (over 90 % within two
// minutes, linear under 60 %) is chapter 04's.
#include "../tensor/values.h"
#include "data/data.h"
#include "td/nn/nn.h"
#include "td/optim/optim.h"

using namespace td;
using namespace td::data;

namespace {

using transforms::Normalize;
using transforms::Stack;

// Share of right answers on new images after some epochs on gray ones.
double accuracy_after(nn::Sequential& net, std::size_t pictures, int epochs) {
  auto train = make_data_loader(
      draw_shapes10(pictures, 0, true, 1).map(Normalize<>(0.5, 0.25)).map(Stack<>()),
      DataLoaderOptions(32).workers(1));
  optim::SGD sgd(net->parameters(), optim::SGDOptions(0.02).momentum(0.9));
  for (int epoch = 0; epoch < epochs; ++epoch)
    for (auto& [x, y] : *train) {
      sgd.zero_grad();
      nn::functional::cross_entropy(net->forward(x), y).backward();
      sgd.step();
    }
  NoGradGuard no_grad;
  auto test = draw_shapes10(500, 0, false, 1).map(Normalize<>(0.5, 0.25)).map(Stack<>());
  std::vector<std::size_t> all(500);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const Example<> batch = test.get_batch(all);
  return (net->forward(batch.data).argmax(1) == batch.target).to(kFloat).mean().item<double>();
}

}  // namespace

TEST_CASE("a convolution learns the shapes, a linear classifier does not") {
  manual_seed(1);
  nn::Sequential lenet(nn::Conv2d(nn::Conv2dOptions(1, 6, 5).padding(2)), nn::ReLU(),
                       nn::MaxPool2d(2), nn::Conv2d(6, 16, 5), nn::ReLU(), nn::MaxPool2d(2),
                       nn::Flatten(), nn::Linear(400, 120), nn::ReLU(), nn::Linear(120, 84),
                       nn::ReLU(), nn::Linear(84, 10));
  const double convolution = accuracy_after(lenet, 3000, 5);
  manual_seed(1);
  nn::Sequential linear(nn::Flatten(), nn::Linear(784, 10));
  const double flat = accuracy_after(linear, 3000, 5);
  INFO("convolution " << convolution << ", linear " << flat);
  CHECK(convolution > 0.8);
  CHECK(flat < 0.6);
  CHECK(flat > 0.15);  // it learns something: the comparison is not with a broken program
}
