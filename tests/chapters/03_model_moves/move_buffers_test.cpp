// Tests of move_buffers.
#include "models.h"

namespace {

// A net whose batch norm has seen one batch, so that its buffers differ from what they begin with.
std::shared_ptr<NetImpl> trained_net() {
  const auto net = make_net();
  td::manual_seed(9);
  net->forward(td::randn({33, 7}) * 2 + 1);
  return net;
}

}  // namespace

TEST_CASE("every buffer of the tree moves, values unchanged", "[move_buffers]") {
  for (const td::Device device : check::devices()) {
    const auto net = trained_net();
    const auto before = all_values(net->buffers());
    move_buffers(*net, device, td::kFloat32);
    const auto buffers = net->named_buffers();
    check::expect(buffers.size() == 3, "the batch norm has three buffers");
    std::size_t i = 0;
    for (const auto& item : buffers) {
      check::expect_on(item.value(), device, item.key());
      check::expect_close(check::values(item.value()), before[i++], 0, item.key());
    }
  }
}

TEST_CASE("a buffer stays the same tensor", "[move_buffers]") {
  const auto net = trained_net();
  const auto held = net->buffers();
  move_buffers(*net, "sim:0", td::kFloat32);
  const auto now = net->buffers();
  for (std::size_t i = 0; i < held.size(); ++i) {
    check::expect(held[i].is_same(now[i]), name_of(i) + " is another tensor after the move");
    check::expect_on(held[i], "sim:0", name_of(i) + " as another holder sees it");
  }
}

TEST_CASE("integers keep their type", "[move_buffers]") {
  const auto net = trained_net();
  move_buffers(*net, "sim:0", td::kFloat16);
  for (const auto& item : net->named_buffers()) {
    const bool counts = item.key().find("num_batches") != std::string::npos;
    check::expect_dtype(item.value(), counts ? td::kInt64 : td::kFloat16, item.key());
    check::expect_on(item.value(), "sim:0", item.key());
  }
}

TEST_CASE("the dtype decides about a conversion, not the name", "[move_buffers]") {
  td::nn::Module table;
  table.register_buffer("scale", td::ones({3}, td::kFloat64));
  table.register_buffer("half", td::ones({2}, td::kFloat16));
  table.register_buffer("brain", td::ones({2}, td::kBFloat16));
  table.register_buffer("mask", td::ones({5}).to(td::kBool));
  table.register_buffer("bytes", td::ones({}).to(td::kUInt8));
  table.register_buffer("empty", td::zeros({0, 3}));
  move_buffers(table, "sim:0", td::kFloat32);
  const td::ScalarType expected[] = {td::kFloat32, td::kFloat32, td::kFloat32,
                                     td::kBool,    td::kUInt8,   td::kFloat32};
  std::size_t i = 0;
  for (const auto& item : table.named_buffers()) {
    check::expect_dtype(item.value(), expected[i++], "the buffer \"" + item.key() + "\"");
    check::expect_on(item.value(), "sim:0", "the buffer \"" + item.key() + "\"");
  }
}

TEST_CASE("buffers that queued work still changes", "[move_buffers]") {
  const td::Device a("sim:0");
  const td::StreamGuard guard(td::getStreamFromPool(a));
  for (const auto& [name, type] : {std::pair{"scale", td::kFloat32}, {"counts", td::kInt64}}) {
    td::nn::Module table;
    td::Tensor buffer = table.register_buffer(name, td::ones({31}, td::device(a).dtype(type)));
    td::synchronize(a);
    check::keep_busy(td::getCurrentStream(a));
    buffer.fill_(10);
    move_buffers(table, "cpu", td::kFloat32);
    check::expect_close(check::values(buffer), std::vector<double>(31, 10), 0,
                        std::string("on cpu, the buffer \"") + name +
                            "\" of sim:0 that queued work was still changing");
  }
}

TEST_CASE("a conversion without a move", "[move_buffers]") {
  for (const td::Device device : check::devices()) {
    const auto net = trained_net();
    net->to(device);
    move_buffers(*net, device, td::kFloat64);
    for (const auto& item : net->named_buffers()) {
      const bool counts = item.key().find("num_batches") != std::string::npos;
      check::expect_dtype(item.value(), counts ? td::kInt64 : td::kFloat64,
                          item.key() + " on " + device.str());
    }
  }
}

TEST_CASE("parameters stay where they are", "[move_buffers]") {
  td::nn::BatchNorm1d norm(5);  // a root with parameters of its own
  const std::vector<std::shared_ptr<td::nn::Module>> models = {trained_net(), norm.ptr()};
  for (const auto& model : models) {
    move_buffers(*model, "sim:0", td::kFloat16);
    for (const auto& item : model->named_parameters()) {
      check::expect_on(item.value(), "cpu", item.key() + " of " + model->name());
      check::expect_dtype(item.value(), td::kFloat32, item.key() + " of " + model->name());
    }
  }
}

TEST_CASE("the model evaluates after both moves", "[move_buffers]") {
  const auto net = trained_net(), same = trained_net();
  for (const td::Tensor& p : net->parameters()) p.set_data(p.detach().to("sim:0"));
  move_buffers(*net, "sim:0", td::kFloat32);
  net->eval();
  same->eval();
  td::manual_seed(11);
  const td::Tensor x = td::randn({5, 7});
  check::expect_close(net->forward(x.to("sim:0")), same->forward(x), 1e-5, "the output");
}
