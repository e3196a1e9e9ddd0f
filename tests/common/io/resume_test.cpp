// A training that is saved, loaded into fresh objects and continued gives the very bits of the one
// that was never interrupted: weights, buffers, optimizer, rates, losses, dropout masks, shuffles.
#include <cstring>

#include "../data/folder.h"
#include "../td/tensor/values.h"
#include "td/td.h"

using namespace td;

namespace {

constexpr std::int64_t kItems = 18;
constexpr int kSteps = 13;  // two epochs of five batches, and three batches

struct NetImpl : nn::Module {
  NetImpl() {
    conv = register_module("conv", nn::Conv2d(nn::Conv2dOptions(1, 3, 3)));
    norm = register_module("norm", nn::BatchNorm2d(3));
    drop = register_module("drop", nn::Dropout(0.4));
    last = register_module("last", nn::Linear(3 * 4 * 4, 3));
  }
  Tensor forward(const Tensor& x) { return last(drop(norm(conv(x)).relu()).flatten(1)); }
  nn::Conv2d conv{nullptr};
  nn::BatchNorm2d norm{nullptr};
  nn::Dropout drop{nullptr};
  nn::Linear last{nullptr};
};
TD_MODULE(Net);

data::datasets::TensorDataset images() {
  return {arange(kItems * 36, kFloat).mul(0.37).sin().reshape({kItems, 1, 6, 6}),
          arange(3, kLong).expand({6, 3}).reshape({kItems})};
}

using MakeOptimizer = std::function<std::unique_ptr<optim::Optimizer>(const TensorList&)>;

std::unique_ptr<optim::Optimizer> make_sgd(const TensorList& parameters) {
  return std::make_unique<optim::SGD>(parameters, optim::SGDOptions(0.1).momentum(0.9));
}
std::unique_ptr<optim::Optimizer> make_adam(const TensorList& parameters) {
  return std::make_unique<optim::Adam>(parameters, optim::AdamOptions(0.01).amsgrad(true));
}

// Everything that a program would make again when it starts.
struct Training {
  Training(Device where, std::uint64_t seed, std::size_t workers, const MakeOptimizer& make)
      : device(where) {
    manual_seed(seed);
    model = Net();
    model->to(device);
    optimizer = make(model->parameters());
    schedule = std::make_unique<optim::StepLR>(*optimizer, 1, 0.5);
    loader = data::make_data_loader(images().map(data::transforms::Stack<>()),
                                    data::DataLoaderOptions(4).workers(workers));
    checkpoint.add("model", model)
        .add("optimizer", *optimizer, model->named_parameters())
        .add("schedule", schedule)
        .add("loader", loader)
        .add("random", default_generator());
  }

  // Trains until `steps` steps are done; saves to `path` after step `save_at`.
  void run(int steps, int save_at = -1, const std::string& path = "") {
    while (done < steps) {
      for (auto& batch : *loader) {
        const Tensor output = model(batch.data.to(device));
        const Tensor loss = nn::functional::cross_entropy(output, batch.target.to(device));
        optimizer->zero_grad();
        loss.backward();
        optimizer->step();
        losses.push_back(loss.item<float>());
        if (++done == save_at) {
          checkpoint.metadata["done"] = std::to_string(done);
          checkpoint.save(path);
        }
        if (done == steps) return;
      }
      schedule->step();
    }
  }

  void resume(const std::string& path) {
    checkpoint.load(path);
    done = std::stoi(checkpoint.metadata["done"]);
  }

  Device device;
  Net model{nullptr};
  std::unique_ptr<optim::Optimizer> optimizer;
  std::unique_ptr<optim::StepLR> schedule;
  decltype(data::make_data_loader(images().map(data::transforms::Stack<>()))) loader;
  io::Checkpoint checkpoint;
  std::vector<float> losses;
  int done = 0;
};

void check_same_bits(const Training& a, const Training& b) {
  const auto compare = [](const auto& left, const auto& right) {
    REQUIRE(left.keys() == right.keys());
    for (const auto& item : left) {
      INFO(item.key());
      const Tensor x = item.value().cpu().contiguous(), y = right[item.key()].cpu().contiguous();
      CHECK(x.dtype() == y.dtype());
      CHECK(std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) == 0);
    }
  };
  compare(a.model->state_dict(), b.model->state_dict());
  compare(a.optimizer->state_dict(), b.optimizer->state_dict());
  compare(a.schedule->state_dict(), b.schedule->state_dict());
  compare(a.loader->state_dict(), b.loader->state_dict());
  // The last losses are the same; those of the start only one side has.
  REQUIRE(a.losses.size() >= b.losses.size());
  CHECK(std::equal(b.losses.rbegin(), b.losses.rend(), a.losses.rbegin()));
}

void check_resumes(Device device, std::size_t workers, const MakeOptimizer& make, int save_at) {
  INFO(device << ", " << workers << " workers, saved after step " << save_at);
  TemporaryFolder folder;
  Training straight(device, 1, workers, make);
  straight.run(kSteps, save_at, folder / "run");
  const Generator::State random = default_generator().get_state();
  // Another seed: values that are not loaded would differ.
  Training fresh(device, 99, workers, make);
  fresh.resume(folder / "run");
  fresh.run(kSteps);
  CHECK(fresh.losses.size() == static_cast<std::size_t>(kSteps - save_at));
  check_same_bits(straight, fresh);
  CHECK(default_generator().get_state().seed == random.seed);
  CHECK(default_generator().get_state().offset == random.offset);
}

}  // namespace

TEST_CASE("training resumes bitwise identically after any step, on every device") {
  for (const Device device : devices()) {
    for (int save_at = 1; save_at < kSteps; ++save_at) check_resumes(device, 0, make_sgd, save_at);
    for (const int save_at : {1, 5, 7, 10}) check_resumes(device, 0, make_adam, save_at);
  }
}

TEST_CASE("training with workers that read ahead resumes with the next batch of the loop") {
  for (const int save_at : {2, 4, 5, 8}) check_resumes(Device("cpu"), 2, make_sgd, save_at);
}

TEST_CASE("a checkpoint of one device is loaded on another and comes back unchanged") {
  TemporaryFolder folder;
  Training straight(Device("cpu"), 1, 0, make_adam);
  straight.run(kSteps, 7, folder / "run");
  for (const Device device : devices()) {
    INFO(device);
    Training away(device, 5, 0, make_adam);
    away.resume(folder / "run");
    for (const auto& item : away.model->state_dict()) CHECK(item.value().device() == device);
    away.checkpoint.save(folder / "away");
    Training back(Device("cpu"), 6, 0, make_adam);
    back.resume(folder / "away");
    back.run(kSteps);
    check_same_bits(straight, back);
    // The training continues there, too.
    away.resume(folder / "run");
    away.run(kSteps);
    CHECK(away.losses.back() == Approx(straight.losses.back()).epsilon(1e-4));
  }
}

TEST_CASE("a checkpoint that was saved between two epochs starts the next one") {
  TemporaryFolder folder;
  Training straight(Device("cpu"), 1, 0, make_sgd);
  for (auto& batch : *straight.loader) straight.losses.push_back(batch.data.sum().item<float>());
  straight.checkpoint.save(folder / "run");
  const auto sums = [](Training& training) {
    std::vector<float> all;
    for (auto& batch : *training.loader) all.push_back(batch.data.sum().item<float>());
    return all;
  };
  const std::vector<float> wanted = sums(straight);
  Training fresh(Device("cpu"), 99, 0, make_sgd);
  fresh.checkpoint.load(folder / "run");
  CHECK(sums(fresh) == wanted);
  CHECK(wanted.size() == 5);
}

TEST_CASE("other schedules and samplers keep their position") {
  Tensor p = leaf({1});
  optim::SGD optimizer({p}, 0.1), other({p}, 0.7);
  const auto curve = [](unsigned epoch) { return (1 + std::cos(0.1 * M_PI * epoch)) / 2; };
  optim::LambdaLR cosine(optimizer, curve);
  optim::LambdaLR lambda(other, [](unsigned epoch) { return 1.0 / (1 + epoch); });
  for (int i = 0; i < 3; ++i) cosine.step();
  const auto saved = cosine.state_dict();
  const auto rates = optimizer.state_dict();
  cosine.step();
  const double wanted = optimizer.param_groups()[0].options().get_lr();
  optim::SGD third({p}, 3.0);
  optim::LambdaLR fresh(third, curve);
  third.load_state_dict(rates);
  fresh.load_state_dict(saved);
  fresh.step();
  CHECK(third.param_groups()[0].options().get_lr() == wanted);
  optim::StepLR steps(other, 1);
  CHECK(message<Error>([&] { steps.load_state_dict(saved); }).find("rates to start from") !=
        std::string::npos);

  data::samplers::SequentialSampler sequential(5), again(5), larger(6);
  sequential.next(2);
  again.load_state_dict(sequential.state_dict());
  CHECK(*again.next(9) == std::vector<std::size_t>{2, 3, 4});
  again.load_state_dict(sequential.state_dict(4));
  CHECK(*again.next(9) == std::vector<std::size_t>{4});
  CHECK(message<Error>([&] { larger.load_state_dict(sequential.state_dict()); }) ==
        "load_state_dict: the state is of a dataset of 5 items but this one has 6");
  auto bad = data::samplers::RandomSampler(3).state_dict();
  bad["order"] = zeros({3}, kLong);
  data::samplers::RandomSampler random(3);
  CHECK(message<Error>([&] { random.load_state_dict(bad); }) ==
        "load_state_dict: the order in the state is no permutation of the dataset's 3 items: 0 at "
        "place 1");
}

TEST_CASE("a number of a state must be one integer in range") {
  data::samplers::RandomSampler sampler(3);
  const auto complaint = [&](const char* name, const Tensor& value) {
    auto state = sampler.state_dict();
    state[name] = value;
    return message<Error>([&] { sampler.load_state_dict(state); });
  };
  CHECK(complaint("index", full({}, 0.0 / 0.0, kDouble)) ==
        "load_state_dict: \"index\" is float64 [] in the state; expected one int64");
  CHECK(complaint("index", zeros({2}, kLong)) ==
        "load_state_dict: \"index\" is int64 [2] in the state; expected one int64");
  CHECK(complaint("index", full({}, 4, kLong)) ==
        "load_state_dict: index is 4 in the state; expected 0 to 3, as the dataset has that many "
        "items");
  CHECK(complaint("order", full({3}, 0.0 / 0.0, kDouble)) ==
        "load_state_dict: \"order\" is float64 in the state; expected int64");
}

TEST_CASE("a sampler that cannot save its position is an error") {
  struct Twice : data::samplers::Sampler<> {
    void reset(optional<std::size_t>) override {}
    optional<std::vector<std::size_t>> next(std::size_t) override { return nullopt; }
  };
  Twice sampler;
  io::Checkpoint checkpoint;
  checkpoint.add("sampler", sampler);
  CHECK(message<Error>([&] { checkpoint.save("none"); }) ==
        "state_dict: this sampler does not keep its place; override state_dict and "
        "load_state_dict in its class");
}

TEST_CASE("a checkpoint names the parts that do not fit") {
  TemporaryFolder folder;
  nn::Linear model(2, 2), wide(3, 2);
  Generator random;
  io::Checkpoint saved;
  saved.add("model", model).add("random", random).save(folder / "run");
  io::Checkpoint other;
  other.add("model", wide).add("dropout", random);
  CHECK(message<Error>([&] { other.load(folder / "run"); }) ==
        (folder / "run") +
            " does not fit this training:\n"
            "unexpected part: \"random\"\n"
            "part \"model\": load_state_dict: the state does not fit td::nn::LinearImpl, and "
            "nothing was copied:\n"
            "  size differs: \"weight\" is [2, 3] here but [2, 2] in the state\n"
            "part \"dropout\" is not in the file: Entry 'seed' is not defined; there is none yet");
  CHECK(message<Error>([&] { other.add("model", model); }) ==
        "checkpoint: there is a part \"model\" already");
  CHECK(message<Error>([&] { other.add("a.b", model); }).find("must have no dot") !=
        std::string::npos);
  data::DataLoaderOptions unordered(2);
  auto loader = data::make_data_loader(images(), unordered.workers(1).enforce_ordering(false));
  other.add("loader", loader);
  CHECK(message<Error>([&] { other.save(folder / "run"); }).find("no place to come back to") !=
        std::string::npos);
}
