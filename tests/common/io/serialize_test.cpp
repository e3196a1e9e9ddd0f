// save and load of tensors, lists, modules and optimizers.
#include "io/checkpoint.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "../data/folder.h"
#include "../td/nn/nets.h"
#include "os/file.h"
#include "td/td.h"

using namespace td;

namespace {

// Two names for one weight, as in language models.
struct TiedImpl : nn::Module {
  TiedImpl() {
    first = register_parameter("first", randn({3, 3}));
    second = register_parameter("second", first);
  }
  Tensor first, second;
};

}  // namespace

TEST_CASE("tensors and lists are saved and loaded, to a device if asked") {
  TemporaryFolder folder;
  const Tensor x = randn({2, 3});
  save(x, folder / "x");
  Tensor loaded;
  load(loaded, folder / "x");
  CHECK(values(loaded) == values(x));
  CHECK(loaded.is_cpu());
  for (const Device device : devices()) {
    save(x.to(device), folder / "x");
    load(loaded, folder / "x", device);
    CHECK(loaded.device() == device);
    CHECK(values(loaded) == values(x));
  }
  TensorList many;
  for (int i = 0; i < 12; ++i) many.push_back(full({i % 3}, i, i % 2 ? kLong : kFloat));
  save(many, folder / "many");
  TensorList back{ones({1})};
  load(back, folder / "many");
  REQUIRE(back.size() == 12);
  for (std::size_t i = 0; i < 12; ++i) {
    CHECK(back[i].dtype() == many[i].dtype());
    CHECK(values(back[i]) == values(many[i]));
  }
  CHECK(message<IoError>([&] { load(loaded, folder / "many"); }) ==
        (folder / "many") +
            ": there is no tensor \"tensor\"; expected a file written by save() of one tensor. "
            "io::load_file reads any safetensors file.");
  CHECK(message<IoError>([&] { load(back, folder / "x"); }).find("of a list of tensors") !=
        std::string::npos);
}

TEST_CASE("save writes through links, keeps a file's rights, and replaces nothing but files") {
  namespace fs = std::filesystem;
  TemporaryFolder folder;
  const Tensor x = ones({2}), y = zeros({2});
  fs::create_directory(folder / "kept");
  fs::create_symlink("kept/x", folder / "link");  // the file is not there yet
  fs::create_symlink(folder / "link", folder / "link to a link");
  const fs::path file = folder / "kept/x";
  for (const Tensor& value : {x, y}) {
    save(value, folder / "link to a link");
    CHECK(fs::is_symlink(folder / "link"));
    CHECK(fs::is_symlink(folder / "link to a link"));
    CHECK(fs::is_regular_file(file));
    Tensor loaded;
    load(loaded, file);
    CHECK(values(loaded) == values(value));
  }
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  save(x, folder / "link");
  CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  fs::create_symlink("pipe", folder / "link to the pipe");
  for (const char* name : {"pipe", "link to the pipe"})
    CHECK_THAT(
        message<IoError>([&] { save(x, folder / name); }),
        Catch::Contains(name) && Catch::Contains("it is a device, a pipe or a socket; choose"));
  CHECK(fs::is_fifo(folder / "pipe"));
  fs::create_symlink("circle", folder / "circle");
  CHECK_THROWS_AS(save(x, folder / "circle"), IoError);
  CHECK(folder.files() == 6);  // no temporary file is left
}

TEST_CASE("a module is loaded in place, parameters and buffers, from any device") {
  TemporaryFolder folder;
  for (const Device device : devices()) {
    INFO(device);
    TwoLayers from, to;
    from(randn({5, 3}));  // moves the running mean
    from->steps.fill_(4);
    to->to(device);
    const Tensor weight = to->first->weight;
    save(from, folder / "net");
    load(to, folder / "net");
    CHECK(weight.is_same(to->first->weight));
    CHECK(weight.device() == device);
    CHECK(values(weight) == values(from->first->weight));
    CHECK(values(to->norm->running_mean) == values(from->norm->running_mean));
    CHECK(to->steps.item<int>() == 4);
    // And back to the host.
    TwoLayers again;
    save(to, folder / "net");
    load(again, folder / "net");
    CHECK(values(again->last->weight) == values(from->last->weight));
  }
}

TEST_CASE("a stream accepts what a file accepts, with the same bytes") {
  TemporaryFolder folder;
  const auto bytes_of_file = [&] {
    const Bytes bytes = read_file(folder / "f");
    return std::string(bytes.begin(), bytes.end());
  };
  TwoLayers net, other;
  const Tensor x = randn({2, 3});
  const TensorList list{x, arange(3), zeros({0, 2})};
  Tensor loaded;
  TensorList loaded_list;
  const auto check_bytes = [&](const auto& what) {
    std::stringstream stream;
    save(what, stream);
    save(what, folder / "f");
    CHECK(stream.str() == bytes_of_file());
    return stream;
  };
  std::stringstream one = check_bytes(x), many = check_bytes(list), module = check_bytes(net);
  load(loaded, one);
  CHECK(values(loaded) == values(x));
  one.clear();
  one.seekg(0);
  load(loaded, one, Device("sim:0"));
  CHECK(loaded.device() == Device("sim:0"));
  load(loaded_list, many);
  REQUIRE(loaded_list.size() == 3);
  CHECK(loaded_list[1].dtype() == kLong);
  CHECK(loaded_list[2].sizes() == IntArrayRef({0, 2}));
  load(other, module);
  CHECK(values(other->first->weight) == values(net->first->weight));
  // An object, not a handle; and after bytes that other code has read.
  optim::SGD sgd(net->parameters(), optim::SGDOptions(0.5).momentum(0.9)),
      same(net->parameters(), optim::SGDOptions(0.1));
  std::stringstream optimizer("lr=");
  optimizer.seekp(0, std::ios::end);
  save(sgd, optimizer);
  std::string prefix(3, ' ');
  optimizer.read(prefix.data(), 3);
  load(same, optimizer);
  CHECK(same.param_groups()[0].options().get_lr() == 0.5);
}

TEST_CASE("a bad stream is a clear error, and nothing is loaded") {
  Tensor x = ones({2});
  const auto complaint = [&](const std::string& bytes) {
    std::istringstream stream(bytes);
    return message<IoError>([&] { load(x, stream); });
  };
  CHECK(complaint("abc") ==
        "the stream: the file ends at offset 3; expected the length of a header in 8 bytes. It is "
        "truncated or not a safetensors file.");
  std::ostringstream whole;
  save(zeros({2}), whole);
  const std::string bytes = whole.str();
  for (std::size_t length = 0; length < bytes.size(); ++length)
    CHECK(complaint(bytes.substr(0, length)).find("the stream: ") == 0);
  CHECK(complaint(bytes + bytes).find("the stream: ") == 0);  // one save() per stream
  TensorList list;
  std::istringstream tensor(bytes);
  CHECK(message<IoError>([&] { load(list, tensor); }) ==
        "the stream: there is no tensor \"0\"; expected a file written by save() of a list of "
        "tensors. io::load_file reads any safetensors file.");
  CHECK(values(x) == std::vector<double>{1, 1});
  std::ifstream missing("no such file");
  CHECK(message<IoError>([&] { load(x, missing); }) ==
        "cannot read the stream: it failed or ended before; check that it is open");
  std::ofstream closed;
  CHECK(message<IoError>([&] { save(x, closed); }) ==
        "cannot write the stream: it takes no more bytes; check that it is open and that there is "
        "space");
  std::ostringstream untouched;
  CHECK(message<IoError>([&] { save(Tensor(), untouched); }) ==
        "cannot write the stream: tensor \"tensor\" is undefined; leave it out");
  CHECK(untouched.str().empty());
}

TEST_CASE("a module that does not fit is an error that lists all, and nothing is copied") {
  TemporaryFolder folder;
  TwoLayers net;
  io::StateDict state{net->state_dict(), {}};
  state.tensors.erase("scale");
  state.tensors.insert("other", ones({1}));
  state.tensors["first.bias"] = ones({5});
  state.tensors["last.weight"] = ones({2, 4}, kDouble);
  io::save_file(state, folder / "net");
  net->first->weight.detach().add_(1);
  const std::vector<double> changed = values(net->first->weight);
  CHECK(message<Error>([&] { load(net, folder / "net"); }) ==
        "load_state_dict: the state does not fit TwoLayersImpl, and nothing was copied:\n"
        "  missing: \"scale\" [1]\n"
        "  size differs: \"first.bias\" is [4] here but [5] in the state\n"
        "  dtype differs: \"last.weight\" is float32 here but float64 in the state\n"
        "  unexpected: \"other\"");
  CHECK(values(net->first->weight) == changed);
  state.tensors["first.bias"] = ones({4});
  net->load_state_dict(state.tensors, false);
  CHECK(values(net->last->weight) == std::vector<double>(8, 1));
}

TEST_CASE("tied weights of a module are stored once and stay tied") {
  TemporaryFolder folder;
  nn::ModuleHolder<TiedImpl> from, to;
  save(from, folder / "net");
  CHECK(std::filesystem::file_size(folder / "net") < 8 + 2 * 9 * 4 + 200);
  load(to, folder / "net");
  CHECK(values(to->second) == values(from->first));
  to->first.detach().fill_(1);
  CHECK(values(to->second) == std::vector<double>(9, 1));
}

TEST_CASE("an optimizer's state is saved by number, or by name in any order") {
  TemporaryFolder folder;
  const auto make = [](bool swapped) {
    nn::Linear model(2, 2);
    const TensorList parameters =
        swapped ? TensorList{model->bias, model->weight} : TensorList{model->weight, model->bias};
    auto optimizer = std::make_unique<optim::Adam>(parameters, optim::AdamOptions(0.1));
    return std::pair(model, std::move(optimizer));
  };
  auto [model, adam] = make(false);
  model->weight.mutable_grad() = ones({2, 2});
  model->bias.mutable_grad() = full({2}, 3.0);
  adam->step();
  save(*adam, folder / "adam");
  auto [same, numbered] = make(false);
  load(*numbered, folder / "adam");
  CHECK(numbered->state_dict().keys() == adam->state_dict().keys());

  const auto names = model->named_parameters();
  CHECK(adam->state_dict(names).keys().front() == "state.weight.step");
  auto [other, swapped] = make(true);
  swapped->load_state_dict(adam->state_dict(names), other->named_parameters());
  CHECK(values(swapped->state_dict(other->named_parameters())["state.bias.exp_avg"]) ==
        values(adam->state_dict()["state.1.exp_avg"]));
  const auto wrong_names = [&optimizer = *swapped, &module = *same] {
    optimizer.state_dict(module.named_parameters());
  };
  CHECK(message<Error>(wrong_names) ==
        "optimizer: parameter 0 of size [2] has no name in the list given; give the "
        "named_parameters() of the module that holds it");
}

TEST_CASE("an optimizer state that does not fit is an error that lists all; nothing changes") {
  Tensor a = leaf({1, 2}), b = leaf({3});
  optim::Adam adam({a, b}, optim::AdamOptions(0.1));
  a.mutable_grad() = ones({2});
  b.mutable_grad() = ones({1});
  adam.step();
  auto state = adam.state_dict();
  state["param_groups.0.lr"] = full({}, 0.5, kDouble);
  state["state.0.exp_avg"] = ones({3});
  state["state.0.step"] = ones({});
  state.erase("state.1.exp_avg_sq");
  state.erase("param_groups.0.eps");
  state.insert("state.2.exp_avg", ones({1}));
  state.insert("state.1.velocity", ones({1}));
  CHECK(message<Error>([&] { adam.load_state_dict(state); }) ==
        "load_state_dict: the state does not fit this optimizer, and nothing was changed:\n"
        "  dtype differs: \"state.0.step\" is int64 here but float32 in the state\n"
        "  size differs: \"state.0.exp_avg\" is [2] here but [3] in the state\n"
        "  missing: \"state.1.exp_avg_sq\"\n"
        "  missing: \"param_groups.0.eps\"\n"
        "  unexpected: \"state.2.exp_avg\"\n"
        "  unexpected: \"state.1.velocity\"");
  state = adam.state_dict();
  state["state.0.step"] = full({}, INT64_MAX, kLong);
  CHECK(message<Error>([&] { adam.load_state_dict(state); }) ==
        "load_state_dict: \"state.0.step\" is 9223372036854775807 in the state; expected a number "
        "of steps, 0 or more");
  CHECK(adam.param_groups()[0].options().get_lr() == 0.1);
  CHECK(adam.state_dict()["state.0.step"].item<int>() == 1);
}
