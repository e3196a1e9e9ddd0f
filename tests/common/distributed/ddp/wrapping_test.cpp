// What DistributedDataParallel does to a module when it wraps it, which modules may be wrapped, and
// the errors for others: all ranks get the same error.
#include <sstream>

#include "ranks.h"

using namespace ranks;

TEST_CASE("wrapping gives all ranks rank 0's parameters and buffers") {
  for (const Device device : kDevices) {
    const auto got = on_ranks(3, [&](int rank) {
      nn::Sequential net(nn::Linear(3, 2), nn::BatchNorm1d(2));
      fill(*net, rank * 10);
      net[1]->buffers()[0].fill_(rank + 5.0);
      net->to(device);
      net[0]->parameters()[1].requires_grad_(false);  // frozen ones are sent as well
      DistributedDataParallel ddp(net);
      List all;
      for (const auto& item : net->state_dict())
        for (double v : values(item.value())) all.push_back(v);
      return all;
    });
    CHECK(got[0][12] == 5);
    CHECK(got[1] == got[0]);
    CHECK(got[2] == got[0]);
  }
}

TEST_CASE("names get the prefix module., which can be taken off again") {
  run_as_threads(1, [](ProcessGroup&) {
    nn::Sequential net = small_net();
    DistributedDataParallel ddp(net);
    auto state = ddp->state_dict();
    CHECK(state.keys() == std::vector<std::string>{"module.0.weight", "module.0.bias",
                                                   "module.2.weight", "module.2.bias"});
    CHECK(ddp->named_parameters().keys() == state.keys());
    consume_prefix_in_state_dict_if_present(state);
    nn::Sequential bare = small_net(7);
    bare->load_state_dict(state);
    CHECK(values(bare->parameters()[0]) == values(net->parameters()[0]));
    ddp->eval();
    CHECK_FALSE(net->is_training());
    std::ostringstream text;
    text << *ddp;
    CHECK(text.str().find("DistributedDataParallel(\n  (module): Sequential(") == 0);
  });
}

TEST_CASE("a module without parameters to train is an error") {
  run_as_threads(1, [](ProcessGroup&) {
    nn::Linear net(2, 2);
    for (const Tensor& p : net->parameters()) p.requires_grad_(false);
    CHECK_THROWS_WITH(DistributedDataParallel(net),
                      "DistributedDataParallel is not needed when a module doesn't have any "
                      "parameter that requires a gradient; call the module itself");
  });
}

TEST_CASE("a parameter that is unfrozen after wrapping is an error on every rank") {
  for (const bool no_sync : {false, true}) {
    const auto errors = errors_on_ranks(2, [&](int) {
      nn::Sequential net = small_net();
      const Tensor frozen = net->named_parameters()["2.bias"].requires_grad_(false);
      DistributedDataParallel ddp(net);
      ddp->forward(numbers({2, 6}, 1)).sum().backward();  // while it is frozen
      frozen.requires_grad_();
      {
        const NoGradGuard no_grad;
        ddp->forward(numbers({2, 6}, 1));  // without gradients
      }
      optional<DistributedDataParallelImpl::NoSyncGuard> guard;
      if (no_sync) guard.emplace(*ddp);
      ddp->forward(numbers({2, 6}, 1)).sum().backward();
    });
    CHECK(
        errors[0] ==
        "DistributedDataParallel: \"2.bias\" requires a gradient, but was frozen or not there when "
        "the module was wrapped, so its gradient would not be averaged and the ranks would "
        "diverge. Wrap the module again");
    CHECK(errors[1] == errors[0]);
  }
}

TEST_CASE("a layer that is new since the wrapping is an error on every rank") {
  const auto errors = errors_on_ranks(2, [&](int) {
    nn::Sequential net = small_net();
    DistributedDataParallel ddp(net, Options().find_unused_parameters(true));
    net->replace_module("2", nn::Linear(5, 3));
    ddp->forward(numbers({2, 6}, 1)).sum().backward();
  });
  CHECK(errors[0].find("\"2.weight\" requires a gradient, but was frozen or not there") !=
        std::string::npos);
  CHECK(errors[1] == errors[0]);
}

TEST_CASE("device_ids is for accelerators, and holds one device") {
  run_as_threads(1, [](ProcessGroup&) {
    nn::Linear net(2, 2);
    CHECK_THROWS_WITH(DistributedDataParallel(net, Options().device_ids({Device("cpu")})),
                      "DistributedDataParallel: device_ids is for a module on an accelerator, but "
                      "the module's parameters are on the cpu; leave device_ids out");
    net->to("sim:0");
    CHECK_THROWS_WITH(
        DistributedDataParallel(net, Options().device_ids({Device("sim:0"), Device("sim:1")})),
        Catch::Contains("device_ids has 2 devices, but a rank has one"));
    CHECK_THROWS_WITH(DistributedDataParallel(net, Options().device_ids({Device("sim:1")})),
                      Catch::Contains("device_ids says sim:1 but a parameter is on sim:0"));
    CHECK_NOTHROW(DistributedDataParallel(net, Options().device_ids({Device("sim:0")})));
    CHECK_THROWS_WITH(DistributedDataParallel(nn::Linear(2, 2), Options().bucket_cap_mb(0)),
                      "DistributedDataParallel: bucket_cap_mb must be more than 0, got 0");
  });
  CHECK_THROWS_WITH(DistributedDataParallel(nn::Linear(2, 2)),
                    Catch::Contains("there is no process group yet"));
}

TEST_CASE("different models are an error on all ranks that names the first difference") {
  const auto differing = [](const std::function<nn::Sequential(int)>& make, const Options& a = {},
                            const Options& b = {}) {
    const auto texts = errors_on_ranks(
        3, [&](int rank) { DistributedDataParallel ddp(make(rank), rank == 1 ? b : a); });
    CHECK(texts[1] == texts[0]);
    CHECK(texts[2] == texts[0]);
    return texts[0];
  };
  CHECK(differing([](int rank) { return nn::Sequential(nn::Linear(rank == 1 ? 3 : 2, 2)); }) ==
        "DistributedDataParallel: the ranks do not have the same model. The first difference:\n"
        "  rank 0, 2: parameter \"0.weight\" [2, 2] float32\n"
        "  rank 1: parameter \"0.weight\" [2, 3] float32\n"
        "All ranks must build the module and the options alike");
  // PyTorch gives no error for this one.
  CHECK(differing([](int rank) {
          nn::Sequential net(nn::Linear(2, 2));
          if (rank == 2) net->to(kDouble);
          return net;
        })
            .find("  rank 0, 1: parameter \"0.weight\" [2, 2] float32\n"
                  "  rank 2: parameter \"0.weight\" [2, 2] float64") != std::string::npos);
  CHECK(differing([](int rank) {
          return rank == 0 ? nn::Sequential(nn::Linear(2, 2))
                           : nn::Sequential(nn::Linear(2, 2), nn::Linear(2, 2));
        }).find("  rank 1, 2: parameter \"1.weight\" [2, 2] float32") != std::string::npos);
  CHECK(differing([](int rank) {
          nn::Sequential net(nn::Linear(2, 2));
          if (rank == 1) net->parameters()[0].requires_grad_(false);
          return net;
        }).find("rank 1: parameter \"0.weight\" [2, 2] float32 (frozen)") != std::string::npos);
  CHECK(differing([](int) { return nn::Sequential(nn::Linear(2, 2)); }, {},
                  Options().bucket_cap_mb(4))
            .find("bucket_cap_mb=4") != std::string::npos);
}

TEST_CASE("a module that is moved or converted after it was wrapped is an error") {
  run_as_threads(1, [](ProcessGroup&) {
    nn::Sequential net = small_net();
    DistributedDataParallel ddp(net);
    net->to("sim:0");
    const Tensor x = numbers({2, 6}, 1);
    CHECK_THROWS_WITH(ddp->forward(x.to("sim:0")).sum().backward(),
                      Catch::Contains("is float32 on sim:0, but was float32 on cpu when it was "
                                      "wrapped; move and convert a module first, then wrap it"));
    nn::Sequential other = small_net();
    DistributedDataParallel wrapped(other);
    other->to(kDouble);
    CHECK_THROWS_WITH(wrapped->forward(x.to(kDouble)).sum().backward(),
                      Catch::Contains("is float64 on cpu, but was float32 on cpu"));
  });
}
