// The rules of DistributedDataParallel's steps, one by one as PyTorch has them, and its error
// messages. Where PyTorch hangs or lets ranks diverge silently, all ranks get the same error.
// wrapping_test.cpp tests which modules may be wrapped.
#include "ranks.h"

using namespace ranks;

namespace {

// Two layers; `uses` says which of them a forward pass uses.
struct Branches : nn::Module {
  nn::Linear a = register_module("a", nn::Linear(nn::LinearOptions(1, 1).bias(false)));
  nn::Linear b = register_module("b", nn::Linear(nn::LinearOptions(1, 1).bias(false)));
  bool uses_a = true, uses_b = true;
  Tensor forward(const Tensor& x) {
    Tensor sum = zeros({1, 1});
    if (uses_a) sum = sum + a(x);
    if (uses_b) sum = sum + b(x);
    return sum;
  }
};

Tensor row(double value) { return full({1, 1}, value); }
double gradient_of(const nn::Linear& layer) {
  return layer->weight.grad().defined() ? values(layer->weight.grad())[0] : NAN;
}

nn::Linear one_weight() { return nn::Linear(nn::LinearOptions(1, 1).bias(false)); }

}  // namespace

TEST_CASE("no_sync accumulates, and the next backward pass outside averages the sum") {
  const auto got = on_ranks(2, [](int rank) {
    nn::Linear net = one_weight();
    DistributedDataParallel ddp(net);
    List seen;
    {
      const auto guard = ddp->no_sync();
      ddp->forward(row(rank + 1.0)).sum().backward();
      seen.push_back(gradient_of(net));
    }
    ddp->forward(row(rank + 1.0)).sum().backward();
    seen.push_back(gradient_of(net));
    return seen;
  });
  CHECK(got == std::vector<List>{{1, 3}, {2, 3}});  // 3 = mean(2, 4)
}

TEST_CASE("gradients are averaged unless the forward pass is under no_sync") {
  const auto got = on_ranks(2, [](int rank) {
    List seen;
    nn::Linear net = one_weight();
    DistributedDataParallel ddp(net);
    Tensor loss;
    {
      const auto guard = ddp->no_sync();
      loss = ddp->forward(row(rank + 1.0)).sum();
    }
    loss.backward();  // outside, but not averaged
    seen.push_back(gradient_of(net));
    net->zero_grad();
    loss = ddp->forward(row(rank + 1.0)).sum();
    {
      const auto guard = ddp->no_sync();
      loss.backward();  // inside, but averaged
    }
    seen.push_back(gradient_of(net));
    return seen;
  });
  CHECK(got == std::vector<List>{{1, 1.5}, {2, 1.5}});
}

TEST_CASE("a forward pass under no_sync leaves the average of an earlier forward pass alone") {
  const auto got = on_ranks(2, [](int rank) {
    nn::Linear net = one_weight();
    DistributedDataParallel ddp(net);
    const Tensor loss = ddp->forward(row(4.0 * rank + 4)).sum();
    {
      const auto guard = ddp->no_sync();
      ddp->forward(row(100));
    }
    loss.backward();
    return gradient_of(net);
  });
  CHECK(got == List{6, 6});  // mean(4, 8)
}

TEST_CASE(
    "a parameter that is used only under no_sync is averaged by the next backward pass outside") {
  for (const bool finds_unused : {true, false})
    for (const bool views : {true, false}) {
      const auto got = on_ranks(2, [&](int rank) {
        auto net = std::make_shared<Branches>();
        DistributedDataParallel ddp(
            nn::AnyModule(net),
            Options().find_unused_parameters(finds_unused).gradient_as_bucket_view(views));
        List seen;
        for (int step = 0; step < 2; ++step) {
          net->zero_grad();
          net->uses_b = rank == 0 || !finds_unused;
          {
            const auto guard = ddp->no_sync();
            ddp->forward(row(rank + 1.0)).sum().backward();
          }
          net->uses_b = false;
          ddp->forward(row(rank + 1.0)).sum().backward();
          seen.push_back(gradient_of(net->a));
          seen.push_back(gradient_of(net->b));
        }
        return seen;
      });
      const double of_b = finds_unused ? 0.5 : 1.5;  // mean(1, nothing); mean(1, 2)
      CHECK(got == std::vector<List>(2, List{3, of_b, 3, of_b}));
    }
}

TEST_CASE("a collective that writes a saved tensor is a change in place") {
  const auto backward_after = [](auto collective) {
    return errors_on_ranks(2, [&](int rank) {
      const Tensor w = full({2}, 3.0).requires_grad_();
      const Tensor y = (w * w).sum();
      collective(default_group(), w.detach(), rank);
      y.backward();
    });
  };
  const auto refused = Catch::Contains("that was saved for the gradient has been changed in place");
  for (const std::string& text :
       backward_after([](ProcessGroup&group, const Tensor&w, int) { group.all_reduce(w)->wait(); }))
    CHECK_THAT(text, refused);
  const auto of_broadcast = backward_after(
      [](ProcessGroup& group, const Tensor& w, int) { group.broadcast(w, 0)->wait(); });
  CHECK(of_broadcast[0].empty());  // the root only sends
  CHECK_THAT(of_broadcast[1], refused);
  const auto of_pair = backward_after([](ProcessGroup& group, const Tensor& w, int rank) {
    (rank == 0 ? group.send(w, 1) : group.recv(w, 0))->wait();
  });
  CHECK(of_pair[0].empty());
  CHECK_THAT(of_pair[1], refused);
}

TEST_CASE("a second backward pass without a forward pass is an error; in PyTorch ranks diverge") {
  const auto texts = errors_on_ranks(2, [](int rank) {
    nn::Linear net = one_weight();
    DistributedDataParallel ddp(net);
    const Tensor loss = ddp->forward(row(rank)).sum();
    loss.backward({}, true);
    loss.backward();
  });
  CHECK(texts[0] ==
        "DistributedDataParallel: a second backward without a forward in between, so \"weight\" "
        "would get a gradient that is not averaged and the ranks would diverge. Call the "
        "wrapped module's forward first, add the losses and call backward once, or keep forward "
        "and backward inside no_sync()");
  CHECK(texts[1] == texts[0]);
  run_as_threads(1, [](ProcessGroup&) {
    nn::Linear net = one_weight();
    DistributedDataParallel ddp(net);
    CHECK_THROWS_AS(net->forward(row(1)).sum().backward(), AutogradError);  // went past the wrapper
    const auto guard = ddp->no_sync();
    CHECK_NOTHROW(net->forward(row(1)).sum().backward());
    CHECK_THROWS_WITH(
        [&] {
          DistributedDataParallel other(one_weight());
          other->forward(row(1)).sum().backward({}, nullopt, true);
        }(),
        Catch::Contains("create_graph = true is not supported"));
  });
}

TEST_CASE("two forward passes before one backward pass of the summed losses average once") {
  const auto got = on_ranks(2, [](int rank) {
    nn::Linear net = one_weight();
    DistributedDataParallel ddp(net);
    const Tensor first = ddp->forward(row(rank + 1.0)).sum();
    (first + ddp->forward(row(10)).sum()).backward();
    return gradient_of(net);
  });
  CHECK(got == List{11.5, 11.5});
}

TEST_CASE("a parameter without a gradient is named at the end of backward, on all ranks") {
  for (const bool view : {true, false}) {
    const auto texts = errors_on_ranks(3, [&](int rank) {
      auto net = std::make_shared<Branches>();
      net->uses_b = rank != 1;
      DistributedDataParallel ddp(net, Options().gradient_as_bucket_view(view));
      ddp->forward(row(1)).sum().backward();
    });
    CHECK(texts[0] ==
          "DistributedDataParallel: parameters got no gradient in this backward:\n"
          "  rank 1: \"b.weight\"\n"
          "All ranks must use all parameters for their loss. If some are left out on purpose, pass "
          "find_unused_parameters(true); if they are never trained, call requires_grad_(false) "
          "before the module is wrapped");
    CHECK(texts[1] == texts[0]);
    CHECK(texts[2] == texts[0]);
  }
}

TEST_CASE("training goes on after the error of an unused parameter was caught") {
  const auto got = on_ranks(2, [](int rank) {
    auto net = std::make_shared<Branches>();
    DistributedDataParallel ddp(net);
    net->uses_a = rank == 0;
    try {
      ddp->forward(row(1)).sum().backward();
      return List{};
    } catch (const AutogradError&) {
    }
    net->uses_a = true;
    net->zero_grad(true);
    ddp->forward(row(rank)).sum().backward();
    return gradients(*net);
  });
  CHECK(got == std::vector<List>{{0.5, 0.5}, {0.5, 0.5}});
}

TEST_CASE("find_unused_parameters: a use on one rank counts for all; no use changes nothing") {
  for (const Device device : kDevices)
    for (const bool view : {true, false}) {
      INFO(device << ", as view " << view);
      const auto got = on_ranks(2, [&](int rank) {
        auto net = std::make_shared<Branches>();
        DistributedDataParallel ddp(net, Options()
                                             .find_unused_parameters(true)
                                             .gradient_as_bucket_view(view)
                                             .bucket_cap_mb(1e-6)
                                             .first_bucket_mb(1e-6));
        List seen;
        const auto step = [&](bool a, bool b, double x) {
          net->uses_a = a;
          net->uses_b = b;
          ddp->forward(row(x)).sum().backward();
          for (double g : gradients(*net)) seen.push_back(std::isnan(g) ? -1 : g);
        };
        step(true, false, 2);       // b: no rank, so it stays undefined
        step(true, rank == 0, 3);   // b: rank 0 only, and both get its half
        step(true, false, 1);       // b: no rank, so it does not change
        step(rank == 1, true, 10);  // adds to what was there
        net->zero_grad(true);
        step(true, rank == 0, 3);  // earlier contents of the bucket do not count
        return seen;
      });
      CHECK(got[0] == List{2, -1, 5, 1.5, 6, 1.5, 11, 11.5, 3, 1.5});
      CHECK(got[1] == got[0]);
      (void)device;
    }
}

TEST_CASE("a parameter whose output the loss does not use is unused") {
  struct Two : nn::Module {
    nn::Linear a = register_module("a", one_weight());
    nn::Linear b = register_module("b", one_weight());
    std::tuple<Tensor, Tensor> forward(const Tensor& x, double factor) {
      return {a(x) * factor, b(x)};
    }
  };
  const auto step = [](bool find) {
    return errors_on_ranks(2, [&](int) {
      auto net = std::make_shared<Two>();
      DistributedDataParallel ddp(net, Options().find_unused_parameters(find));
      auto [first, second] = ddp->forward<std::tuple<Tensor, Tensor>>(row(1), 2.0);
      first.sum().backward();
      if (gradient_of(net->a) != 2 || !std::isnan(gradient_of(net->b))) throw Error("wrong value");
    });
  };
  CHECK(step(true) == std::vector<std::string>{"", ""});
  CHECK(step(false)[0].find("rank 0: \"b.weight\"\n  rank 1: \"b.weight\"") != std::string::npos);
}

TEST_CASE("buffers are rank 0's at the start of a forward pass, and each rank's own after it") {
  const auto got = on_ranks(2, [](int rank) {
    nn::BatchNorm1d norm(1);
    DistributedDataParallel ddp(norm);
    const Tensor x = tensor({1.0f, 3.0f}).view({2, 1}) + 10.0 * rank;
    List seen;
    ddp->forward(x).sum().backward();  // running_mean = 0.1 * mean of x
    seen.push_back(values(norm->running_mean)[0]);
    ddp->forward(x).sum().backward();
    seen.push_back(values(norm->running_mean)[0]);
    ddp->eval();
    ddp->forward(x);
    seen.push_back(values(norm->running_mean)[0]);
    return seen;
  });
  CHECK(got[0][0] == Approx(0.2));
  CHECK(got[1][0] == Approx(1.2));
  CHECK(got[0][1] == Approx(0.9 * 0.2 + 0.2));
  CHECK(got[1][1] == Approx(0.9 * 0.2 + 1.2));  // from rank 0's 0.2
  CHECK(got[1][2] == got[0][2]);
}

TEST_CASE("buffers are broadcast before a forward pass with several arguments, too") {
  struct Scaled : nn::Module {
    Tensor weight = register_parameter("weight", full({1}, 3.0));
    Tensor scale = register_buffer("scale", zeros({1}));
    std::tuple<Tensor> forward(const Tensor& x, double) { return x * weight * scale; }
  };
  const auto got = on_ranks(2, [](int rank) {
    auto net = std::make_shared<Scaled>();
    DistributedDataParallel ddp(net);
    net->scale.fill_(rank + 5.0);
    const auto [out] = ddp->forward<std::tuple<Tensor>>(full({1}, 1.0), 0.5);
    return values(out)[0];
  });
  CHECK(got == List{15, 15});
}

TEST_CASE("broadcast_buffers off leaves buffers alone") {
  const auto got = on_ranks(2, [](int rank) {
    nn::BatchNorm1d norm(1);
    DistributedDataParallel ddp(norm, Options().broadcast_buffers(false));
    const Tensor x = tensor({1.0f, 3.0f}).view({2, 1}) + 10.0 * rank;
    for (int i = 0; i < 2; ++i) ddp->forward(x).sum().backward();
    ddp->eval();
    ddp->forward(x);
    return values(norm->running_mean)[0];
  });
  CHECK(got[0] == Approx(0.38));
  CHECK(got[1] == Approx(2.28));
}

TEST_CASE("two forward passes and one backward pass work with a buffer broadcast in between") {
  // PyTorch's copy into the buffers destroys what the first forward pass has saved.
  struct Scaled : nn::Module {
    Tensor weight = register_parameter("weight", full({2}, 3.0));
    Tensor scale = register_buffer("scale", full({2}, 2.0));
    Tensor forward(const Tensor& x) { return (x * weight) * scale; }
  };
  const auto texts = errors_on_ranks(2, [](int rank) {
    DistributedDataParallel scaled(std::make_shared<Scaled>());
    DistributedDataParallel norm(nn::Sequential(nn::Linear(2, 2), nn::BatchNorm1d(2)));
    for (const bool training : {true, false}) {
      norm->train(training);
      for (auto* ddp : {&scaled, &norm}) {
        const Tensor first = (*ddp)->forward(numbers({4, 2}, rank)).sum();
        (first + (*ddp)->forward(numbers({4, 2}, rank + 9)).sum()).backward();
      }
    }
  });
  CHECK(texts == std::vector<std::string>{"", ""});
}

TEST_CASE("a rank with more batches than the others gets an error that names the rank that left") {
  const auto texts = errors_on_ranks(2, [](int rank) {
    DistributedDataParallel ddp(one_weight());
    for (int batch = 0; batch < (rank == 0 ? 3 : 2); ++batch) ddp->forward(row(1)).sum().backward();
  });
  CHECK(texts[0].find("rank 1 has left the group while rank 0 is in all_reduce #") == 0);
  CHECK(texts[1] == "");
}

TEST_CASE("after a backward pass that failed the next forward pass reports it") {
  run_as_threads(1, [](ProcessGroup&) {
    nn::Sequential net = small_net();
    DistributedDataParallel ddp(net, Options().bucket_cap_mb(1e-6).first_bucket_mb(1e-6));
    const unsigned hook =
        net->parameters()[0].register_hook([](const Tensor&) { throw Error("broken"); });
    CHECK_THROWS_WITH(ddp->forward(numbers({2, 6}, 1)).sum().backward(), "broken");
    net->parameters()[0].remove_hook(hook);
    CHECK_THROWS_WITH(ddp->forward(numbers({2, 6}, 1)),
                      Catch::Contains("the last backward ended with an error while gradients were "
                                      "on their way, so the ranks are out of step"));
  });
}

TEST_CASE("a module can be wrapped again after its wrapper is destroyed") {
  const auto got = on_ranks(2, [](int rank) {
    nn::Linear net = one_weight();
    for (int i = 0; i < 3; ++i) {
      net->zero_grad();
      DistributedDataParallel ddp(net);
      ddp->forward(row(rank)).sum().backward();
    }
    net->zero_grad(true);
    net->forward(row(rank)).sum().backward();  // alone again
    return gradient_of(net);
  });
  CHECK(got == List{0, 1});
}
