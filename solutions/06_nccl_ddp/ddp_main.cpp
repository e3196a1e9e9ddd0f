// ddp_main: exercise 6.ddp_main, declared in exercises.h.
#include <sstream>

#include "exercises.h"
#include "td/exercise.h"

// solution only
namespace {

void train_rank(const Job& job) {
  td::distributed::init_process_group("gloo");
  const int rank = td::distributed::get_rank();
  td::nn::Sequential model = job.make_model();
  model->to(job.device);
  td::distributed::DistributedDataParallel ddp(model);
  td::optim::SGD optimizer(ddp->parameters(), td::optim::SGDOptions(job.lr));
  auto loader = td::data::make_data_loader(
      td::data::datasets::TensorDataset(job.data, job.target).map(td::data::transforms::Stack<>()),
      td::distributed::DistributedSampler(static_cast<std::size_t>(job.data.size(0))),
      td::data::DataLoaderOptions(static_cast<std::size_t>(job.batch_size)));
  std::ostringstream line;
  for (std::int64_t epoch = 1; epoch <= job.epochs; ++epoch) {
    loader->sampler().set_epoch(static_cast<std::uint64_t>(epoch));
    for (auto& batch : *loader) {
      const td::Tensor inputs = batch.data.to(job.device), labels = batch.target.to(job.device);
      if (line.tellp() == 0) {
        line << "rank " << rank << ": inputs on " << inputs.device() << ", labels on "
             << labels.device() << '\n';
        std::cout << line.str() << std::flush;
      }
      optimizer.zero_grad();
      job.loss(ddp->forward(inputs), labels).backward();
      optimizer.step();
    }
  }
  if (rank == 0) {
    td::save(model->parameters(), job.file);
    std::cout << "rank 0: saved " << job.file << std::endl;
  }
  td::distributed::destroy_process_group();
}

}  // namespace
// end

void ddp_main(const Job& job) {
  // blank: Spawn the ranks; a function of yours is the program of one rank. About 35 lines.
  td::distributed::spawn([&](int) { train_rank(job); }, job.world_size);
  // end
}
