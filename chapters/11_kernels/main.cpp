// Chapter 11, kernels: counts what each kernel of the chapter does to memory, compares its time
// with td's own kernel, draws the roofline, and trains networks of chapter 04 with two of the
// kernels.
#include <fstream>
#include <iomanip>
#include <iostream>

#include "../04_training_loop/images.h"
#include "../04_training_loop/models.h"
#include "app/app.h"
#include "demos.h"
#include "kernel_linear.h"
#include "roofline.h"
#include "simt/observe.h"
#include "simt/observe/report.h"

namespace {

namespace simt = td::simt;

struct Choices {
  std::string show = "all", gpu = "H100", model = "simple", pictures;
  bool profile = false;
  bool shows(const char* what) const { return show == "all" || show == what; }
};

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  if (!out.flush()) throw td::IoError(path + " cannot be written; does its folder exist?");
}

// anchor: observe
// What is counted follows from the addresses, so that sim counts what a GPU would.
std::vector<simt::KernelReport> observe_all(const simt::GpuLimits& gpu) {
  const std::vector<Demo> all = demos("sim:0", {65536, 128});
  return simt::observe({.gpu = &gpu}, [&] {
    for (const Demo& demo : all) demo.kernel();
  });
}
// anchor end

void print_counts(const std::vector<simt::KernelReport>& reports, const Choices& choices) {
  std::cout << "counted on sim: 65,536 elements, or matrices of 128 x 128\n"
            << "               sectors per request   passes in shared memory   barriers   least "
               "time on "
            << choices.gpu << "\n";
  for (const simt::KernelReport& report : reports) {
    const simt::Counts global = report.profile.global(), shared = report.profile.shared();
    std::cout << std::setw(14) << report.kernel << std::fixed << std::setprecision(1)
              << std::setw(9) << global.per_request() << " (least " << std::setw(4)
              << global.ideal_per_request() << ")" << std::setw(11) << shared.transfers
              << " (least " << std::setw(6) << shared.ideal << ")" << std::setw(9)
              << report.profile.barriers << std::setw(14) << std::setprecision(2)
              << 1e6 * report.profile.bound.seconds() << " us\n";
    if (const simt::Finding* fault = report.first_fault()) std::cout << fault->text << '\n';
  }
  std::cout << '\n';
  if (choices.profile)
    for (const simt::KernelReport& report : reports)
      std::cout << simt::table(report.profile) << '\n';
}

void draw_requests(const std::vector<simt::KernelReport>& reports, const std::string& folder) {
  for (const simt::KernelReport& report : reports)
    for (const simt::Space space : {simt::Space::kGlobal, simt::Space::kShared})
      if (const simt::SiteProfile* site = report.profile.worst(space)) {
        const char* const where = space == simt::Space::kGlobal ? "_global.svg" : "_shared.svg";
        write_file(folder + "/" + report.kernel + where, simt::svg(*site));
      }
}

// anchor: compare
// sim runs thread by thread, so it gets less work than a GPU.
void compare_times(td::Device device) {
  const DemoSizes sizes = device.is_cuda() ? DemoSizes{1 << 24, 2048} : DemoSizes{1 << 18, 256};
  std::cout << "milliseconds on " << device << ": " << sizes.elements << " elements, or "
            << sizes.side << " x " << sizes.side << "\n"
            << "               this kernel   td's own\n";
  for (const Demo& demo : demos(device, sizes)) {
    std::cout << std::setw(14) << demo.name << std::fixed << std::setprecision(3) << std::setw(12)
              << 1e3 * roofline::median_seconds(device, demo.kernel);
    if (demo.core)
      std::cout << std::setw(11) << 1e3 * roofline::median_seconds(device, [&] { demo.core(); });
    std::cout << std::endl;
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
  if (choices.shows("counts") || choices.shows("roofline")) reports = observe_all(gpu);
  if (choices.shows("counts")) print_counts(reports, choices);
  if (!choices.pictures.empty()) draw_requests(reports, choices.pictures);
  if (choices.shows("times")) compare_times(device);
  if (choices.shows("roofline")) show_roofline(reports, gpu, device, choices.pictures);
  if (choices.shows("training")) train_both(choices, options, device);
}

}  // namespace

int main(int argc, char** argv) {
  Choices choices;
  app::Command command("ch11_kernels", "Runs CUDA kernels on sim or on a GPU, and profiles them.");
  command.takes({"seed", "data"});
  command.choice("--show", choices.show, {"all", "counts", "times", "roofline", "training"},
                 "what to do");
  command.choice("--gpu", choices.gpu, {"T4", "A100", "RTX 4090", "H100", "H200"},
                 "whose limits and data sheet count");
  command.choice("--model", choices.model, {"simple", "lenet"}, "what to train");
  command.flag("--profile", choices.profile, "print the profile of each kernel, line by line");
  command.option("--pictures", choices.pictures,
                 "folder for pictures of the accesses of a warp and of the roofline");
  return command.run(argc, argv, [&](const app::Options& options) { run(options, choices); });
}
