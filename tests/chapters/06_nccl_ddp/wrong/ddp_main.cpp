#include "exercises.h"

#include <iostream>
#include <sstream>

// answer: all_samples_everywhere
// expect: saved parameter 0 after 2 epochs
// Every rank trains on all samples.
namespace all_samples_everywhere {
static void train_rank(const Job& job) {
  td::distributed::init_process_group("gloo");
  const int rank = td::distributed::get_rank();
  td::nn::Sequential model = job.make_model();
  model->to(job.device);
  td::distributed::DistributedDataParallel ddp(model);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(job.lr));
  td::distributed::DistributedSampler sampler(
      static_cast<std::size_t>(job.data.size(0)),
      td::distributed::DistributedSamplerOptions().num_replicas(1).rank(0));
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
}  // namespace all_samples_everywhere

// answer: all_save
// expect: expected one line that begins with "rank 0: saved"
// Every rank writes the file.
namespace all_save {
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
  if (true) {
    td::save(model->parameters(), job.file);
    std::cout << "rank " << rank << ": saved " << job.file << std::endl;
  }
  td::distributed::destroy_process_group();
}

void ddp_main(const Job& job) {
  td::distributed::spawn([&](int) { train_rank(job); }, job.world_size);
}
}  // namespace all_save

// answer: one_order
// expect: saved parameter 0 after 2 epochs
// The same order in every epoch.
namespace one_order {
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
    sampler.set_epoch(1);
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
}  // namespace one_order

// answer: only_rank_0_tells
// expect: rank 1: inputs on sim:0, labels on sim:0
// Only rank 0 names its devices.
namespace only_rank_0_tells {
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
      if (!told && rank == 0) {
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
}  // namespace only_rank_0_tells

// answer: swallows_the_error
// expect: let the error of spawn pass
// Catches the error of a failed rank.
namespace swallows_the_error {
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
  try {
    td::distributed::spawn([&](int) { train_rank(job); }, job.world_size);
  } catch (const td::Error& error) {
    std::cerr << error.what() << std::endl;
  }
}
}  // namespace swallows_the_error

// answer: tells_every_step
// expect: once, found it
// Prints in every step.
namespace tells_every_step {
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
      if (true) {
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
}  // namespace tells_every_step

// answer: trains_alone
// expect: saved parameter 0 after 2 epochs
// Trains the model without DDP: nothing is averaged.
namespace trains_alone {
static void train_rank(const Job& job) {
  td::distributed::init_process_group("gloo");
  const int rank = td::distributed::get_rank();
  td::nn::Sequential model = job.make_model();
  model->to(job.device);
  td::nn::Sequential ddp = model;
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
}  // namespace trains_alone

// answer: two_ranks_missing
// expect: [1] rank 1: inputs on sim:0
// Starts one rank only.
namespace two_ranks_missing {
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
  td::distributed::spawn([&](int) { train_rank(job); }, 1);
}
}  // namespace two_ranks_missing

// answer: own_rate
// expect: saved parameter 0 after 2 epochs
// Writes the usual learning rate into the program.
namespace own_rate {
static void train_rank(const Job& job) {
  td::distributed::init_process_group("gloo");
  const int rank = td::distributed::get_rank();
  td::nn::Sequential model = job.make_model();
  model->to(job.device);
  td::distributed::DistributedDataParallel ddp(model);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.1));
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
}  // namespace own_rate

// answer: always_two
// expect: [2] rank 2: inputs on sim:0
// Starts two ranks, whatever the job says.
namespace always_two {
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
  td::distributed::spawn([&](int) { train_rank(job); }, 2);
}
}  // namespace always_two

// answer: never_leaves
// expect: a rank ended without destroy_process_group()
// Lets the end of the process end the group.
namespace never_leaves {
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
}

void ddp_main(const Job& job) {
  td::distributed::spawn([&](int) { train_rank(job); }, job.world_size);
}
}  // namespace never_leaves
