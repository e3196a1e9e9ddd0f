// The gradients that DistributedDataParallel computes, against plain arithmetic in one
// process.
#include <set>

#include "ranks.h"
#include "td/device/record.h"

using namespace ranks;

namespace {

// Mean squared output of one batch: a mean, so that ranks with equal shares average to the whole.
Tensor loss_of(const Tensor& output) { return (output * output).mean(); }

// The gradients of one process on rows [first, last).
List alone(const Tensor& x, std::int64_t first, std::int64_t last, Device device,
           ScalarType dtype = kFloat) {
  nn::Sequential net = small_net();
  net->to(device, dtype);
  loss_of(net->forward(x.narrow(0, first, last - first).to(device, dtype))).backward();
  return gradients(*net);
}

// The same of one of `ranks` ranks; every rank has an equal share of the rows.
List together(int rank, int ranks, const Tensor& x, Device device, const Options& options) {
  nn::Sequential net = small_net(rank);  // not alike: wrapping makes them so
  net->to(device);
  DistributedDataParallel ddp(net, options);
  const std::int64_t share = x.size(0) / ranks;
  loss_of(ddp->forward(x.narrow(0, rank * share, share).to(device))).backward();
  return gradients(*net);
}

// Bucket limits in MiB: all in one; one parameter per bucket; two.
const double kCaps[] = {25, 1e-6, 30.0 * 4 / (1 << 20)};

}  // namespace

TEST_CASE("two ranks have the bit-exact mean of the gradients of two half batches") {
  const Tensor x = numbers({8, 6}, 40);
  for (const Device device : kDevices)
    for (const double cap : kCaps)
      for (const bool view : {true, false}) {
        INFO(device << ", bucket_cap_mb " << cap << ", as view " << view);
        const List first = alone(x, 0, 4, device), second = alone(x, 4, 8, device);
        List mean;
        for (std::size_t i = 0; i < first.size(); ++i)
          mean.push_back((static_cast<float>(first[i]) + static_cast<float>(second[i])) / 2.0f);
        const auto options =
            Options().bucket_cap_mb(cap).first_bucket_mb(cap).gradient_as_bucket_view(view);
        const auto got =
            on_ranks(2, [&](int rank) { return together(rank, 2, x, device, options); });
        CHECK(got[0] == mean);
        CHECK(got[1] == mean);
      }
}

TEST_CASE("three and four ranks have the gradient of the whole batch in float64") {
  const Tensor x = numbers({12, 6}, 41);
  for (const Device device : kDevices)
    for (const int ranks : {1, 3, 4}) {
      INFO(device << ", " << ranks << " ranks");
      const List whole = alone(x, 0, 12, kCPU, kDouble);
      const auto got =
          on_ranks(ranks, [&](int rank) { return together(rank, ranks, x, device, {}); });
      for (const List& one : got) {
        CHECK(one == got[0]);
        REQUIRE(one.size() == whole.size());
        for (std::size_t i = 0; i < one.size(); ++i)
          CHECK(one[i] == Approx(whole[i]).epsilon(2e-6).margin(1e-7));
      }
    }
}

TEST_CASE("a summed loss comes out as the mean over the ranks") {
  // Rank r has two rows of r: the sum of both ranks' gradients is 2, DDP's is 1.
  const auto got = on_ranks(2, [](int rank) {
    nn::Linear net(nn::LinearOptions(1, 1).bias(false));
    DistributedDataParallel ddp(net);
    ddp->forward(full({2, 1}, 1.0 * rank)).sum().backward();
    return gradients(*net);
  });
  CHECK(got == std::vector<List>{{1}, {1}});
}

TEST_CASE("all ranks are bitwise identical after a thousand steps") {
  const auto got = on_ranks(3, [](int rank) {
    nn::Sequential net = small_net(rank);
    DistributedDataParallel ddp(net, Options().bucket_cap_mb(1e-4).first_bucket_mb(1e-5));
    optim::SGD sgd(ddp->parameters(), optim::SGDOptions(0.05).momentum(0.9));
    std::vector<List> seen;
    for (int step = 0; step < 1000; ++step) {
      sgd.zero_grad();
      const Tensor x = numbers({4, 6}, 3 * step + rank);
      (ddp->forward(x) - x.narrow(1, 0, 3)).pow(2).mean().backward();
      sgd.step();
      if (step % 100 != 99) continue;
      List all;
      for (const Tensor& p : net->parameters())
        for (double v : values(p)) all.push_back(v);
      seen.push_back(all);
    }
    return seen;
  });
  CHECK(got[0].size() == 10);
  CHECK(got[0][9] != got[0][8]);  // it is still learning
  CHECK(got[1] == got[0]);
  CHECK(got[2] == got[0]);
}

TEST_CASE("gradients accumulate over steps without zero_grad, also with rebuilt buckets") {
  for (const bool view : {true, false}) {
    INFO("as view " << view);
    const auto got = on_ranks(2, [&](int rank) {
      nn::Linear net(nn::LinearOptions(1, 1).bias(false));
      DistributedDataParallel ddp(net, Options().gradient_as_bucket_view(view));
      List seen;
      for (int step = 1; step <= 3; ++step) {
        ddp->forward(full({1, 1}, step * (rank + 1.0))).sum().backward();
        seen.push_back(values(net->weight.grad())[0]);
      }
      return seen;
    });
    // Each step averages what the rank has: first 1.5, then 1.5 + 3, then 4.5 + 4.5.
    CHECK(got == std::vector<List>{{1.5, 4.5, 9}, {1.5, 4.5, 9}});
  }
}

TEST_CASE("gradients are adjacent views of the buckets") {
  const auto storages = [](bool view) {
    return on_ranks(1, [&](int) {
      nn::Sequential net = small_net();
      DistributedDataParallel ddp(net, Options().gradient_as_bucket_view(view));
      for (int step = 0; step < 3; ++step) {
        net->zero_grad(step == 1);
        ddp->forward(numbers({2, 6}, 1)).sum().backward();
      }
      std::set<const void*> seen;
      for (const Tensor& p : net->parameters()) seen.insert(p.grad().impl().storage.get());
      return seen.size();
    })[0];
  };
  CHECK(storages(true) == 1);
  CHECK(storages(false) == 4);
}

TEST_CASE("a layer that is used twice gets both gradients") {
  struct Tied : nn::Module {
    nn::Linear layer = register_module("layer", nn::Linear(6, 6));
    nn::Linear last = register_module("last", nn::Linear(6, 3));
    Tensor forward(const Tensor& x) { return last(layer(layer(x).tanh()).tanh()); }
  };
  const auto train = [](auto&& forward, const std::shared_ptr<Tied>& net) {
    List all;
    for (int i = 0; i < 3; ++i) {
      net->zero_grad(i == 1);
      loss_of(forward(numbers({4, 6}, i))).backward();
      for (double g : gradients(*net)) all.push_back(g);
    }
    return all;
  };
  auto plain = std::make_shared<Tied>(), wrapped = std::make_shared<Tied>();
  fill(*plain, 3);
  fill(*wrapped, 3);
  const List expected = train([&](const Tensor& x) { return plain->forward(x); }, plain);
  run_as_threads(1, [&](ProcessGroup&) {
    DistributedDataParallel ddp(wrapped);
    CHECK(train([&](const Tensor& x) { return ddp->forward(x); }, wrapped) == expected);
  });
}

TEST_CASE("large gradients are made in the buckets: not copied there, nor added to zeros") {
  static std::atomic<int> launches;
  struct Listen {
    Listen() { launches = 0; }
    const RecordObserver counting{[](const Record&, Device) { ++launches; }};
  };
  const nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(3, 4, 3).bias(false)), nn::Flatten(),
                           nn::Linear(nn::LinearOptions(36, 8).bias(false)), nn::Tanh(),
                           nn::Linear(nn::LinearOptions(8, 2).bias(false)));
  const Tensor x = numbers({2, 3, 5, 5}, 1);
  const auto launches_of_a_step = [&](auto&& forward) {
    int count = 0;
    for (int step = 0; step < 3; ++step) {
      const Listen listen;
      net.ptr()->zero_grad();
      loss_of(forward(x)).backward();
      count = launches;
    }
    return count;
  };
  const int alone = launches_of_a_step([&](const Tensor& in) { return net.ptr()->forward(in); });
  run_as_threads(1, [&](ProcessGroup&) {
    DistributedDataParallel ddp(net);
    // Writing the bucket's flags, and reading them as numbers.
    CHECK(launches_of_a_step([&](const Tensor& in) { return ddp->forward(in); }) == alone + 2);
  });
}

TEST_CASE("parameters in another memory format keep it in the buckets") {
  const Tensor x = numbers({4, 3, 5, 5}, 2);
  const auto step = [&](bool wrap, const Tensor& input) {
    nn::Conv2d net(nn::Conv2dOptions(3, 4, 3));
    fill(*net, 3);
    net->to(MemoryFormat::ChannelsLast);
    if (wrap)
      loss_of(DistributedDataParallel(net)->forward(input)).backward();
    else
      loss_of(net->forward(input)).backward();
    CHECK(net->weight.grad().strides() == net->weight.strides());
    return gradients(*net);
  };
  const List expected = step(false, x);
  run_as_threads(1, [&](ProcessGroup&) { CHECK(step(true, x) == expected); });
}

TEST_CASE("parameters of two types are averaged in buckets of their own") {
  struct Mixed : nn::Module {
    Tensor a = register_parameter("a", full({3}, 2.0));
    Tensor b = register_parameter("b", full({2}, 3.0, kDouble));
    Tensor forward(const Tensor& x) { return (a * x).sum().to(kDouble) + (b * 2).sum(); }
  };
  const auto got = on_ranks(2, [](int rank) {
    auto net = std::make_shared<Mixed>();
    DistributedDataParallel ddp(net);
    ddp->forward(full({3}, 1.0 * rank)).backward();
    List all = gradients(*net);
    all.push_back(static_cast<double>(ddp->reducer().buckets().size()));
    return all;
  });
  CHECK(got[0] == List{0.5, 0.5, 0.5, 2, 2, 2});
  CHECK(got[1] == got[0]);
}
