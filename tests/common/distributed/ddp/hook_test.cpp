// Communication hooks, and ranks with unequal numbers of batches.
#include "ranks.h"

using namespace ranks;

namespace {

nn::Linear one_weight() { return nn::Linear(nn::LinearOptions(1, 1).bias(false)); }
Tensor row(double value) { return full({1, 1}, value); }

std::shared_ptr<Work> average(ProcessGroup& group, GradBucket& bucket) {
  return group.all_reduce(bucket.buffer, ReduceOp::AVG);
}

}  // namespace

TEST_CASE("a communication hook replaces the all-reduce and the division") {
  for (const Device device : kDevices) {
    const auto got = on_ranks(2, [&](int rank) {
      nn::Linear net = one_weight();
      net->to(device);
      DistributedDataParallel ddp(net);
      ddp->register_comm_hook([](ProcessGroup& group, GradBucket& bucket) {
        if (bucket.index != 0 || !bucket.is_last || bucket.gradients.size() != 1 ||
            bucket.parameters[0].sizes() != bucket.gradients[0].sizes())
          throw Error("not the bucket that was made");
        bucket.buffer.mul_(10);
        return group.all_reduce(bucket.buffer);  // a sum that is not divided
      });
      ddp->forward(row(rank + 1.0).to(device)).sum().backward();
      return gradients(*net);
    });
    CHECK(got == std::vector<List>{{30}, {30}});
  }
}

TEST_CASE("a hook that averages gives the same gradients as no hook") {
  const auto run = [](const CommHook& hook) {
    return on_ranks(2, [&](int rank) {
      nn::Sequential net = small_net();
      DistributedDataParallel ddp(net, Options().bucket_cap_mb(1e-6).first_bucket_mb(1e-6));
      if (hook) ddp->register_comm_hook(hook);
      ddp->forward(numbers({4, 6}, rank)).sum().backward();
      return gradients(*net);
    });
  };
  const auto plain = run(nullptr);
  CHECK(run(average) == plain);
}

TEST_CASE("unused parameters are found with a hook too, and a second hook is rejected") {
  struct Half : nn::Module {
    nn::Linear a = register_module("a", one_weight());
    nn::Linear b = register_module("b", one_weight());
    Tensor forward(const Tensor& x) { return a(x); }
  };
  const auto texts = errors_on_ranks(2, [](int) {
    DistributedDataParallel ddp(std::make_shared<Half>());
    ddp->register_comm_hook(average);
    ddp->forward(row(1)).sum().backward();
  });
  CHECK(texts[0].find("rank 0: \"b.weight\"\n  rank 1: \"b.weight\"") != std::string::npos);
  CHECK(texts[1] == texts[0]);
  run_as_threads(1, [](ProcessGroup&) {
    DistributedDataParallel ddp(one_weight());
    ddp->register_comm_hook(average);
    CHECK_THROWS_WITH(ddp->register_comm_hook(average),
                      "register_comm_hook: there is one already; a bucket is sent once");
  });
}

TEST_CASE("join: a finished rank adds nothing, and all ranks end with the same model") {
  for (const bool by_initial : {true, false})
    for (const int longest : {0, 1, 2}) {
      const auto got = on_ranks(3, [&](int rank) {
        nn::Sequential net(one_weight(), nn::BatchNorm1d(nn::BatchNorm1dOptions(1).affine(false)));
        net->eval();
        DistributedDataParallel ddp(net, Options().bucket_cap_mb(1e-6));
        optim::SGD sgd(ddp->parameters(), 1.0);
        NoGradGuard no_grad;
        net->parameters()[0].zero_();
        List seen;
        ddp->join(
            [&] {
              const AutoGradMode recording(true);
              for (int batch = 0; batch < (rank == longest ? 3 : 1); ++batch) {
                sgd.zero_grad();
                ddp->forward(row(6)).sum().backward();
                seen.push_back(std::round(values(net->parameters()[0].grad())[0]));
                sgd.step();
              }
            },
            by_initial);
        seen.push_back(std::round(values(net->parameters()[0])[0]));
        return seen;
      });
      // A batch of one rank counts a third, or all.
      const double alone = by_initial ? 2 : 6, end = -6 - 2 * alone;
      for (int rank = 0; rank < 3; ++rank) {
        INFO("rank " << rank << ", longest " << longest << ", by initial " << by_initial);
        const List expected = rank == longest ? List{6, alone, alone, end} : List{6, end};
        CHECK(got[static_cast<std::size_t>(rank)] == expected);
      }
    }
}

TEST_CASE("join: ranks without any batch, and gradients of several buckets that are rebuilt") {
  const auto got = on_ranks(2, [](int rank) {
    nn::Sequential net = small_net(rank);
    DistributedDataParallel ddp(net, Options().bucket_cap_mb(1e-6).first_bucket_mb(1e-6));
    optim::SGD sgd(ddp->parameters(), 0.1);
    ddp->join([&] {
      for (int batch = 0; batch < 4 * rank; ++batch) {
        sgd.zero_grad();
        ddp->forward(numbers({2, 6}, batch)).sum().backward();
        sgd.step();
      }
    });
    // Then all ranks continue together.
    ddp->forward(numbers({2, 6}, rank)).sum().backward();
    List all = gradients(*net);
    for (const Tensor& p : net->parameters())
      for (double v : values(p)) all.push_back(v);
    all.push_back(static_cast<double>(ddp->reducer().rebuilds()));
    return all;
  });
  CHECK(got[0] == got[1]);
  CHECK(got[0].back() == 1);
}

TEST_CASE("join: ranks that make different calls in one step get an error") {
  const auto texts = errors_on_ranks(2, [](int rank) {
    DistributedDataParallel ddp(one_weight());
    ddp->join([&] {
      if (rank == 1) {
        const auto guard = ddp->no_sync();
        ddp->forward(row(1)).sum().backward();
      } else {
        ddp->forward(row(1)).sum().backward();
      }
    });
  });
  CHECK(texts[0] ==
        "join: ranks 0 and 1 do different things in one step: only one of them is inside no_sync() "
        "or NoGradGuard. All ranks that have a batch must do the same");
  CHECK(texts[1] == texts[0]);
}
