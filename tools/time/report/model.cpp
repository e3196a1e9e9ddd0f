// Grouping and naming of results.
#include "model.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace report {
namespace {

/// The words for one segment of a case's name; segments without an entry are words already.
std::string segment_in_words(const std::string& segment) {
  static const std::map<std::string, std::string> words = {
      {"data_parallel", "DataParallel"}, {"ddp", "DDP"}, {"1thread", ""}, {"allthreads", ""}};
  if (const auto found = words.find(segment); found != words.end()) return found->second;
  return segment.rfind("amp:", 0) == 0 ? segment.substr(4) : segment;
}

/// Puts results of the same case next to each other.
void put_side_by_side(std::vector<const Result*>& results) {
  std::vector<std::string> order;
  for (const Result* result : results) order.push_back(result->what.name);
  const auto first = [&](const Result* result) {
    return std::find(order.begin(), order.end(), result->what.name) - order.begin();
  };
  std::stable_sort(results.begin(), results.end(),
                   [&](const Result* a, const Result* b) { return first(a) < first(b); });
}

}  // namespace

std::vector<Group> grouped(const Report& report, bool (*keep)(const Result&)) {
  std::vector<Group> groups;
  for (const Result& result : report.results) {
    if (!keep(result)) continue;
    const auto same = [&](const Group& group) { return group.workload == result.what.workload; };
    auto group = std::find_if(groups.begin(), groups.end(), same);
    if (group == groups.end())
      group = groups.insert(groups.end(), {result.what.workload, result.what.title, {}});
    group->results.push_back(&result);
  }
  for (Group& group : groups) put_side_by_side(group.results);
  return groups;
}

std::string label(const Case& what, const std::string& times) {
  std::string text = what.device;
  if (what.devices > 1) text = std::to_string(what.devices) + " " + times + " " + what.device;
  if (what.device == "cpu") {
    const int threads = std::max(1, what.threads / what.devices);
    text += ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
    if (what.devices > 1) text += " each";
  }
  // The name contains only what differs from the default, and the reader needs only that.
  std::istringstream segments(what.name);
  std::string segment;
  for (int i = 0; std::getline(segments, segment, '/'); ++i) {
    const std::string word = i < 2 ? "" : segment_in_words(segment);
    if (!word.empty()) text += ", " + word;
  }
  return text;
}

}  // namespace report
