// Chapter 14, DDP from the inside: hooks start the average of a bucket of gradients during the
// backward pass. DistributedDataParallel then computes the same gradients.
#include <iostream>

#include "app/rank.h"
#include "distributed/ddp/ddp.h"
#include "td/td.h"

namespace dist = td::distributed;
namespace nn = td::nn;

// Parameters whose gradients are averaged by one all-reduce.
struct Bucket {
  std::vector<td::Tensor> parameters;
  std::size_t missing;                    // gradients that backward has not completed yet
  td::Tensor flat{};                      // all gradients, one after another
  std::shared_ptr<dist::Work> work = {};  // the all-reduce
};

// The hook of each parameter calls this when backward has completed its gradient.
void gradient_ready(Bucket& bucket) {
  if (--bucket.missing > 0) return;
  std::vector<td::Tensor> pieces;
  for (const td::Tensor& parameter : bucket.parameters)
    pieces.push_back(parameter.grad().reshape({-1}));
  bucket.flat = td::cat(pieces);
  bucket.work = dist::default_group().all_reduce(bucket.flat, dist::ReduceOp::AVG);
  if (dist::get_rank() == 0)
    std::cout << "  all-reduce of " << bucket.flat.numel() << " gradients starts\n";
}

nn::Sequential make_model(td::Device device) {
  nn::Sequential model(nn::Linear(10, 64), nn::ReLU(), nn::Linear(64, 64), nn::ReLU(),
                       nn::Linear(64, 5));
  const td::NoGradGuard no_grad;  // sines instead of random numbers, as in pytorch.py
  for (td::Tensor& parameter : model->parameters())
    parameter.copy_(td::arange(parameter.numel(), td::kFloat).sin().view(parameter.sizes()) / 9);
  model->to(device);
  return model;
}

int main(int argc, char** argv) {
  const td::Device device = app::start(
      argc, argv, "Averages gradients in buckets during the backward pass.", app::device_of_rank);
  dist::init_process_group(device.is_cuda() ? "nccl" : "gloo");
  const int rank = dist::get_rank();
  const td::Tensor inputs =  // of this rank
      (td::arange(320.0) + 1000.0 * rank).sin().reshape({32, 10}).to(device);
  const td::Tensor labels = (inputs.select(1, 0) > 0).to(td::kInt64);

  nn::Sequential model = make_model(device);
  const std::vector<td::Tensor> p = model->parameters();
  // Backward completes the gradients of the last layer first.
  std::vector<Bucket> buckets{{{p[5], p[4]}, 2}, {{p[3], p[2]}, 2}, {{p[1], p[0]}, 2}};
  for (Bucket& bucket : buckets)
    for (const td::Tensor& parameter : bucket.parameters)
      parameter.register_post_accumulate_grad_hook(
          [&bucket](const td::Tensor&) { gradient_ready(bucket); });
  if (rank == 0) std::cout << "Backward pass of rank 0:\n";
  nn::CrossEntropyLoss criterion;
  criterion(model->forward(inputs), labels).backward();

  const float own = p[0].grad()[0][0].item<float>();
  for (Bucket& bucket : buckets) {
    bucket.work->wait();
    std::int64_t begin = 0;
    for (const td::Tensor& parameter : bucket.parameters) {
      const td::Tensor piece = bucket.flat.narrow(0, begin, parameter.numel());
      parameter.mutable_grad() = piece.view(parameter.sizes());
      begin += parameter.numel();
    }
  }
  dist::DistributedDataParallel ddp(make_model(device));
  criterion(ddp->forward(inputs), labels).backward();
  app::print_by_rank("Rank ", rank, ": the first gradient is ", own, ", averaged by hand ",
                     p[0].grad()[0][0].item<float>(), ", by DDP ",
                     ddp->parameters()[0].grad()[0][0].item<float>());
  dist::destroy_process_group();
}
