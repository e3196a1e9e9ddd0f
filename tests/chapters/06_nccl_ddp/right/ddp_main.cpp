#include "exercises.h"

#include <iostream>
#include <sstream>

// answer: by_hand
// Takes the batches from the sampler, without a loader.
namespace by_hand {
static void train_rank(const Job& job) {
  td::distributed::init_process_group("gloo");
  const int rank = td::distributed::get_rank();
  td::nn::Sequential model = job.make_model();
  model->to(job.device);
  td::distributed::DistributedDataParallel ddp(model);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(job.lr));
  td::distributed::DistributedSampler sampler(static_cast<std::size_t>(job.data.size(0)));
  bool told = false;
  for (std::uint64_t epoch = 1; epoch <= static_cast<std::uint64_t>(job.epochs); ++epoch) {
    sampler.set_epoch(epoch);
    sampler.reset();
    while (const auto batch = sampler.next(static_cast<std::size_t>(job.batch_size))) {
      std::vector<td::Tensor> data, target;
      for (const std::size_t i : *batch) {
        data.push_back(job.data[static_cast<std::int64_t>(i)]);
        target.push_back(job.target[static_cast<std::int64_t>(i)]);
      }
      const td::Tensor inputs = td::stack(data).to(job.device);
      const td::Tensor labels = td::stack(target).to(job.device);
      if (!told) {
        std::ostringstream line;
        line << "rank " << rank << ": inputs on " << inputs.device() << ", labels on "
             << labels.device() << '\n';
        std::cout << line.str() << std::flush;
      }
      told = true;
      optimizer.zero_grad();
      job.loss(ddp->forward(inputs), labels).backward();
      optimizer.step();
    }
  }
  if (rank == 0) {
    td::save(model->parameters(), job.file);
    std::cout << "rank " << rank << ": saved " << job.file << std::endl;
  }
  td::distributed::destroy_process_group();
}

void ddp_main(const Job& job) {
  td::distributed::spawn([&](int) { train_rank(job); }, job.world_size);
}
}  // namespace by_hand
