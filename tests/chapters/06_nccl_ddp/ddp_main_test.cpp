// Tests of ddp_main. spawn() starts this checker again for each rank, with the same arguments; a
// rank ends inside spawn(), so it runs no check of its own.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "distributed/launch/environment.h"
#include "exercises.h"
#include "ranks.h"

namespace {

// A folder for one test. The ranks of a job find its name in their environment.
struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("todevice_ddp_main_" + std::to_string(getpid()));
  Folder() {
    if (td::distributed::launched()) {
      path = td::distributed::variable("DDP_MAIN_FOLDER");
      return;
    }
    std::filesystem::create_directories(path);
    setenv("DDP_MAIN_FOLDER", path.c_str(), 1);
  }
  ~Folder() {
    if (!td::distributed::launched()) std::filesystem::remove_all(path);
  }
};

constexpr const char* kStays = "this rank is still in the process group";

// In a rank: prints a line at the end of the process if the rank is in the group then. It must be
// called in the group, because the group ends in a handler that was registered when it was made.
void watch_the_end() {
  if (!td::distributed::launched()) return;
  [[maybe_unused]] static const int registered = std::atexit([] {
    if (td::distributed::is_initialized()) std::cout << kStays << std::endl;
  });
}

Job make_job(const Folder& folder, const std::string& name, int world_size) {
  td::manual_seed(3);
  Job job;
  job.world_size = world_size;
  job.data = td::randn({21, 4});
  job.target = td::randint(0, 3, {21}, td::TensorOptions(td::kInt64));
  job.make_model = [] {
    // Other values on every rank: DDP must copy those of rank 0.
    const std::string rank = td::distributed::variable("RANK");
    td::manual_seed(7 + (rank.empty() ? 0 : std::stoull(rank)));
    return td::nn::Sequential(td::nn::Linear(4, 8), td::nn::Tanh(), td::nn::Linear(8, 3));
  };
  job.loss = [](const td::Tensor& output, const td::Tensor& target) {
    watch_the_end();
    return td::nn::functional::cross_entropy(output, target);
  };
  job.epochs = 2;
  job.batch_size = 4;
  job.lr = 0.3;
  job.file = (folder.path / (name + ".safetensors")).string();
  return job;
}

// What ddp_main and its ranks print, line by line, each with "[0] " and so on.
std::string printed(const Job& job) {
  if (td::distributed::launched()) return ddp_main(job), "";  // a rank prints to the parent's pipe
  std::ostringstream all;
  struct Redirected {
    std::streambuf* before;
    ~Redirected() { std::cout.rdbuf(before); }
  } redirected{std::cout.rdbuf(all.rdbuf())};
  ddp_main(job);
  return all.str();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

// The parameters after the training of the job, by ranks that are threads.
std::vector<td::Tensor> expected_parameters(const Job& job) {
  std::vector<td::Tensor> result;
  const td::nn::Sequential first = job.make_model();
  run_ranks(job.world_size, [&](ProcessGroup& group) {
    td::nn::Sequential model(std::dynamic_pointer_cast<td::nn::SequentialImpl>(first->clone()));
    td::distributed::DistributedDataParallel ddp(model);
    td::optim::SGD optimizer(ddp->parameters(), td::optim::SGDOptions(job.lr));
    td::distributed::DistributedSampler sampler(static_cast<std::size_t>(job.data.size(0)));
    for (std::uint64_t epoch = 1; epoch <= static_cast<std::uint64_t>(job.epochs); ++epoch) {
      sampler.set_epoch(epoch);
      sampler.reset();
      while (const auto batch = sampler.next(static_cast<std::size_t>(job.batch_size))) {
        std::vector<td::Tensor> data, target;
        for (const std::size_t i : *batch) {
          data.push_back(job.data[static_cast<std::int64_t>(i)]);
          target.push_back(job.target[static_cast<std::int64_t>(i)]);
        }
        optimizer.zero_grad();
        job.loss(ddp->forward(td::stack(data)), td::stack(target)).backward();
        optimizer.step();
      }
    }
    if (group.rank() == 0) result = model->parameters();
  });
  return result;
}

void expect_job(const Job& job) {
  const std::string text = printed(job);
  if (td::distributed::launched()) return;  // a rank of a later job
  const std::string all = "; the ranks printed:\n" + text;
  for (int r = 0; r < job.world_size; ++r) {
    const std::string number = std::to_string(r), device = job.device.str();
    const std::string line = "[" + number + "] rank " + number + ": inputs on " + device +
                             ", labels on " + device + "\n";
    check::expect(count(text, line) == 1, "expected the line \"" + line.substr(0, line.size() - 1) +
                                              "\" once, found it " +
                                              std::to_string(count(text, line)) + " times" + all);
  }
  check::expect(count(text, "] rank 0: saved") == 1 && count(text, ": saved") == 1,
                "expected one line that begins with \"rank 0: saved\", from rank 0 only" + all);
  check::expect(count(text, kStays) == 0, "a rank ended without destroy_process_group()" + all);
  check::expect(std::filesystem::exists(job.file), "rank 0 has not saved " + job.file + all);
  std::vector<td::Tensor> saved;
  td::load(saved, job.file);
  const auto expected = expected_parameters(job);
  check::expect(saved.size() == expected.size(),
                "the file has " + std::to_string(saved.size()) + " tensors; the model has " +
                    std::to_string(expected.size()) + " parameters");
  for (std::size_t p = 0; p < expected.size(); ++p)
    check::expect_close(
        saved[p], expected[p], 1e-5,
        "saved parameter " + std::to_string(p) + " after " + std::to_string(job.epochs) +
            " epochs of " + std::to_string(job.world_size) +
            " ranks, compared with DDP, DistributedSampler and set_epoch(1), (2), ...");
}

}  // namespace

TEST_CASE("three ranks train, name their devices, and rank 0 saves", "[ddp_main]") {
  const Folder folder;
  Job job = make_job(folder, "three", 3);
  job.device = "sim:0";
  expect_job(job);
}

TEST_CASE("a rank that fails is an error of ddp_main", "[ddp_main]") {
  const Folder folder;
  Job job = make_job(folder, "fails", 2);
  job.loss = [](const td::Tensor& output, const td::Tensor& target) -> td::Tensor {
    if (td::distributed::variable("RANK") == "1") throw td::Error("rank 1 has run out of paper");
    return td::nn::functional::cross_entropy(output, target);
  };
  std::string error;
  std::ostringstream quiet;
  std::streambuf* const before = std::cerr.rdbuf(quiet.rdbuf());
  try {
    printed(job);
  } catch (const td::NotDoneYet&) {
    std::cerr.rdbuf(before);
    throw;
  } catch (const td::Error& e) {
    error = e.what();
  }
  std::cerr.rdbuf(before);
  if (td::distributed::launched()) return;
  check::expect(
      !error.empty(),
      "rank 1 failed, and ddp_main returned as if all was well: let the error of spawn pass");
  check::expect(!std::filesystem::exists(job.file),
                "rank 1 failed in the first step, and there is a saved file");
}
