// The C++ side of ddp_oracle_test.py: trains a small network with DistributedDataParallel on two
// ranks, from weights and batches that the test has written, and writes what came out.
//   ddp_oracle FOLDER: reads FOLDER/weights and FOLDER/batches, writes FOLDER/ours.0 and ours.1
// All files are float32 numbers, one after another.
#include <cstdio>
#include <fstream>

#include "distributed/thread_group.h"
#include "td/td.h"

using namespace td;

namespace {

constexpr int kRanks = 2, kSteps = 3;

/// Reads tensors one after the other.
class Reader {
 public:
  explicit Reader(const std::string& path) : file_(path, std::ios::binary) {}
  void read_into(const Tensor& tensor) {
    NoGradGuard no_grad;
    Tensor host = empty(tensor.sizes());
    const auto bytes = static_cast<std::streamsize>(host.numel() * 4);
    TD_CHECK(Error, file_.read(static_cast<char*>(host.data_ptr()), bytes), "the file is short");
    tensor.copy_(host);
  }

 private:
  std::ifstream file_;
};

void append(std::ofstream& file, const Tensor& tensor) {
  const Tensor host = tensor.detach().to(kFloat).contiguous();
  file.write(static_cast<const char*>(host.data_ptr()),
             static_cast<std::streamsize>(host.numel() * 4));
}

nn::Sequential network() {
  return nn::Sequential(nn::Conv2d(2, 4, 3), nn::BatchNorm2d(4), nn::Tanh(), nn::Flatten(),
                        nn::Linear(4 * 4 * 4, 16), nn::Tanh(), nn::Linear(16, 3));
}

void train(const std::string& folder, int rank) {
  nn::Sequential net = network();
  if (rank == 0) {  // the other rank gets them by being wrapped
    Reader weights(folder + "/weights");
    for (const Tensor& p : net->parameters()) weights.read_into(p);
  }
  distributed::DistributedDataParallel ddp(
      net, distributed::DistributedDataParallelOptions().bucket_cap_mb(0.001));
  optim::SGD sgd(ddp->parameters(), optim::SGDOptions(0.1).momentum(0.9));
  Reader batches(folder + "/batches");
  std::ofstream out(folder + "/ours." + std::to_string(rank), std::ios::binary);
  const Tensor x = empty({5, 2, 6, 6});
  for (int step = 0; step < kSteps; ++step) {
    for (int r = 0; r < kRanks; ++r) {
      batches.read_into(x);
      if (r != rank) continue;
      sgd.zero_grad();
      ddp->forward(x.clone()).pow(2).mean().backward();
      for (const Tensor& p : net->parameters()) append(out, p.grad());
      sgd.step();
    }
  }
  for (const Tensor& p : net->parameters()) append(out, p);
  for (const Tensor& b : net->buffers()) append(out, b);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) throw Error("usage: ddp_oracle FOLDER");
  distributed::run_as_threads(
      kRanks, [&](distributed::ProcessGroup& group) { train(argv[1], group.rank()); });
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
