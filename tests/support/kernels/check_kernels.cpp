// check_kernels.h's work: the runs of a kernel, and the messages of the judges.
#include "check_kernels.h"

#include <filesystem>
#include <fstream>

#include "simt/observe/report.h"

namespace check {
namespace {

namespace simt = td::simt;
using Order = simt::ObserveOptions::Order;

#ifdef __clang__
constexpr bool kJudgesCounts = false;
#else
constexpr bool kJudgesCounts = true;
#endif

/// Ends the test case without failure for a kernel that is a stub; the machine sees an exception.
void expect_written() {
  if (td::detail::stubs_reached > 0) throw td::NotDoneYet("not done yet: a kernel");
}

/// Threads that have returned before a barrier are a note of the machine, because a GPU goes on
/// without them. CUDA asks all threads of a block to reach a barrier, and so do the exercises.
void expect_no_finding(const std::string& what, const std::vector<simt::KernelReport>& reports) {
  for (const simt::KernelReport& report : reports)
    for (const simt::Finding& finding : report.findings)
      if (!finding.is_note || finding.kind == simt::Finding::Kind::kBarrier)
        FAIL(what << ": " << finding.text);
}

void expect_results(const std::string& what, const std::vector<td::Tensor>& results,
                    const std::vector<std::vector<double>>& expected,
                    const std::vector<std::string>& names, double tolerance) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string problem =
        difference(values(results.at(i)), expected[i], tolerance, tolerance);
    const std::string name = i < names.size() ? names[i] : "result " + std::to_string(i);
    expect(problem.empty(), what + (expected.size() > 1 ? ", " + name : "") + ": " + problem);
  }
}

/// Writes a picture of the worst access and returns the sentence that names it; empty where there
/// is none to draw.
std::string picture(const simt::KernelReport& report, simt::Space space) {
  const simt::SiteProfile* worst = report.profile.worst(space);
  if (!worst) return "";
  const std::filesystem::path folder = CHECK_PICTURES;
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  const std::string memory = space == simt::Space::kShared ? "_shared" : "_global";
  const auto file = folder / (report.kernel + memory + ".svg");
  std::ofstream out(file);
  out << simt::svg(*worst);
  if (!out.flush()) return "";
  return "\nA picture of a warp's accesses: " + std::filesystem::proximate(file).string();
}

}  // namespace

std::vector<simt::KernelReport> run_kernels(const std::string& what, const KernelWork& work,
                                            const std::vector<std::vector<double>>& expected,
                                            const std::vector<std::string>& names,
                                            double tolerance) {
  std::vector<simt::KernelReport> first;
  for (const Order order : {Order::kForward, Order::kReversed, Order::kRandom}) {
    std::vector<td::Tensor> results;
    simt::ObserveOptions options;
    options.order = order;
    options.seed = 11;
    auto reports = simt::observe(options, [&] { results = work(td::Device(td::kSIM, 0)); });
    expect_written();
    expect_no_finding(what, reports);
    expect_results(what, results, expected, names, tolerance);
    if (order == Order::kForward) first = std::move(reports);
  }
  if (td::device_count(td::kCUDA) > 0)
    expect_results(what + " on cuda:0", work(td::Device(td::kCUDA, 0)), expected, names, tolerance);
  return first;
}

void expect_coalesced(const simt::KernelReport& report) {
  const simt::Counts all = report.profile.global();
  if (all.excess() == 0 || !kJudgesCounts) return;
  FAIL(all.excess() << " excessive sectors of global memory, "
                    << static_cast<int>(all.excess_percent() + 0.5) << " % of all\n"
                    << simt::table(report.profile) << picture(report, simt::Space::kGlobal));
}

void expect_no_bank_conflicts(const simt::KernelReport& report) {
  const simt::Counts all = report.profile.shared();
  if (all.excess() == 0 || !kJudgesCounts) return;
  FAIL(all.excess() << " passes of shared memory are due to bank conflicts\n"
                    << simt::table(report.profile) << picture(report, simt::Space::kShared));
}

void expect_barriers_at_most(const simt::KernelReport& report, int most) {
  expect_at_most(report, "barriers per thread", static_cast<std::size_t>(report.profile.barriers),
                 static_cast<std::size_t>(most));
}

void expect_at_most(const simt::KernelReport& report, const std::string& what, std::size_t found,
                    std::size_t most) {
  if (found <= most || !kJudgesCounts) return;
  FAIL(found << " " << what << ", at most " << most << " are needed\n"
             << simt::table(report.profile));
}

std::vector<float> small_numbers(std::size_t n, float unit) {
  std::vector<float> numbers(n);
  for (std::size_t i = 0; i < n; ++i)
    numbers[i] = (static_cast<float>((i * 7 + 3) % 11) - 5) * unit;
  return numbers;
}

td::Tensor tensor_of(const std::vector<float>& elements, td::Device device,
                     const std::vector<std::int64_t>& sizes) {
  const td::Tensor flat = td::tensor(elements);
  return (sizes.empty() ? flat : flat.reshape(sizes)).to(device);
}

td::Tensor poisoned_output(const std::vector<std::int64_t>& sizes, td::Device device,
                           td::ScalarType dtype) {
  const td::Tensor output = td::empty(sizes, td::TensorOptions().dtype(dtype).device(device));
  poison(output);
  return output;
}

}  // namespace check
