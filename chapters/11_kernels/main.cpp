// Chapter 11, kernels: counts what each kernel of the chapter does to memory, compares its time
// with td's own kernel, draws the roofline, and trains networks of chapter 04 with two of the
// kernels.
#include "../04_training_loop/images.h"
#include "../04_training_loop/models.h"
#include "app/app.h"
#include "counts.h"
#include "kernel_linear.h"
#include "roofline.h"
#include "values.h"

namespace {

namespace simt = td::simt;

struct Choices {
  std::string show = "all", gpu = "H100", model = "simple", pictures, json;
  bool profile = false;
  bool shows(const char* what) const { return show == "all" || show == what; }
};

// anchor: compare
// sim runs thread by thread, so it gets less work than a GPU, whose operands are larger than its
// caches (64 MiB each).
void compare_times(td::Device device, const simt::GpuLimits& gpu) {
  const DemoSizes sizes = device.is_cuda() ? DemoSizes{1 << 24, 4096} : DemoSizes{1 << 18, 256};
  std::cout << "milliseconds on " << device << ": " << sizes.elements << " elements, or "
            << sizes.side << " x " << sizes.side << "\n               this kernel   td's own   at "
            << "least on " << gpu.name << "\n";
  for (const Demo& demo : demos(device, sizes)) {
    std::cout << std::setw(14) << demo.name << std::fixed << std::setprecision(3) << std::setw(12)
              << 1e3 * roofline::median_seconds(device, demo.kernel) << std::setw(11);
    if (demo.core)
      std::cout << 1e3 * roofline::median_seconds(device, [&] { demo.core(); });
    else
      std::cout << "-";
    const auto bound = simt::time_bound(gpu, demo.bytes, demo.flops, demo.tensor_flops);
    std::cout << std::setprecision(4) << std::setw(14) << 1e3 * bound.seconds() << std::endl;
    if (app::stop_requested()) throw app::Stopped(demo.name);
  }
  std::cout << '\n';
}
// anchor end

void show_roofline(const std::vector<simt::KernelReport>& reports, const simt::GpuLimits& gpu,
                   td::Device device, const std::string& folder) {
  const std::string name(gpu.name);
  const std::vector<roofline::Roof> roofs = {
      {name, gpu.flops, gpu.bytes_per_second},
      {name + ", Tensor Cores", gpu.tensor_flops, gpu.bytes_per_second},
      roofline::measure(device)};
  for (const roofline::Roof& roof : roofs)
    std::cout << roof.name << ": " << std::fixed << std::setprecision(0) << roof.flops / 1e9
              << " GFLOP/s, " << roof.bytes_per_second / 1e9 << " GB/s; memory is the limit below "
              << roof.ridge() << " FLOP per byte\n";
  std::vector<std::vector<roofline::Point>> points(roofs.size());
  for (const simt::KernelReport& report : reports) {
    const double intensity = report.profile.intensity();
    if (intensity == 0) continue;
    std::cout << std::setw(14) << report.kernel << std::setprecision(2) << std::setw(8) << intensity
              << " FLOP per byte\n";
    roofline::add_point(points[report.profile.tensor_flops > 0], report.kernel, intensity);
  }
  std::cout << '\n';
  if (!folder.empty()) roofline::write(folder + "/roofline.svg", roofs, points);
}

// anchor: train
/// Trains `model` for some steps. @return the loss of each step.
std::vector<float> train(td::nn::Sequential model, const images::Batch& batch, int steps) {
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.05).momentum(0.9));
  std::vector<float> losses;
  for (int step = 1; step <= steps; ++step) {
    optimizer.zero_grad();
    const td::Tensor loss =
        td::nn::functional::cross_entropy(model->forward(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    losses.push_back(loss.item<float>());
    if (app::stop_requested()) throw app::Stopped("step " + std::to_string(step));
  }
  return losses;
}
// anchor end

images::Batch batch_for(const Choices& choices, const app::Options& options, td::Device device) {
  if (choices.model == "lenet") {
    const std::string folder = app::image_folder(options, app::Images::kGray);
    images::Set set = images::load(folder, app::Images::kGray, 32);
    const images::Batch& first = set.test.at(0);
    return {first.data.narrow(0, 0, 32).to(device), first.target.narrow(0, 0, 32).to(device)};
  }
  const td::Tensor x = td::randn({64, 10});
  return {x.to(device), x.narrow(1, 0, 5).argmax(1).to(device)};
}

void train_both(const Choices& choices, const app::Options& options, td::Device device) {
  td::manual_seed(options.seed);
  const images::Batch batch = batch_for(choices, options, device);
  td::nn::Sequential model = choices.model == "lenet" ? lenet() : simple_model(5);
  model->to(device);
  const auto copy = std::dynamic_pointer_cast<td::nn::SequentialImpl>(model->clone());
  const int steps = choices.model == "lenet" ? 10 : 50;
  const std::vector<float> by_td = train(model, batch, steps);
  const std::vector<float> by_kernels =
      train(kernel_linear::with_kernels(td::nn::Sequential(copy)), batch, steps);
  std::cout << "training on " << device << ": loss with nn::Linear, and with your matmul and "
            << "transpose\n";
  for (int step = steps / 5; step <= steps; step += steps / 5) {
    const auto at = static_cast<std::size_t>(step - 1);
    std::cout << "  step " << std::setw(2) << step << std::fixed << std::setprecision(4)
              << std::setw(10) << by_td[at] << std::setw(10) << by_kernels[at] << '\n';
  }
}

void run(const app::Options& options, const Choices& choices) {
  const td::Device device = app::choose_device(options);
  const simt::GpuLimits& gpu = simt::gpu(choices.gpu);
  std::vector<simt::KernelReport> reports;
  if (choices.shows("counts") || choices.shows("roofline") || !choices.pictures.empty() ||
      !choices.json.empty())
    reports = counts::observe_all(gpu);
  if (choices.shows("values")) values::show(device);
  if (choices.shows("counts")) counts::print(reports, choices.gpu, choices.profile);
  if (!choices.pictures.empty()) counts::draw_requests(reports, choices.pictures);
  if (!choices.json.empty()) counts::write_file(choices.json, simt::json(reports));
  if (choices.shows("times")) compare_times(device, gpu);
  if (choices.shows("roofline")) show_roofline(reports, gpu, device, choices.pictures);
  if (choices.shows("training")) train_both(choices, options, device);
}

}  // namespace

int main(int argc, char** argv) {
  Choices choices;
  app::Command command("ch11_kernels", "Runs CUDA kernels on sim or on a GPU, and profiles them.");
  command.takes({"seed", "data"});
  command.choice("--show", choices.show,
                 {"all", "values", "counts", "times", "roofline", "training"}, "what to do");
  command.choice("--gpu", choices.gpu, {"T4", "A100", "RTX 4090", "H100", "H200"},
                 "whose limits and data sheet count");
  command.choice("--model", choices.model, {"simple", "lenet"}, "what to train");
  command.flag("--profile", choices.profile, "print the profile of each kernel, line by line");
  command.option("--json", choices.json, "file for all counts and findings");
  command.option("--pictures", choices.pictures,
                 "folder for pictures of the accesses of a warp and of the roofline");
  return command.run(argc, argv, [&](const app::Options& options) { run(options, choices); });
}
