// Names for machines, and one list of all results.
#include "merge.h"

#include <algorithm>
#include <filesystem>

namespace report {
namespace {

std::string unused(const std::string& name, const Report& report) {
  const auto taken = [&](const std::string& text) {
    return std::any_of(report.machines.begin(), report.machines.end(),
                       [&](const Machine& machine) { return machine.name == text; });
  };
  std::string text = name;
  for (int i = 2; taken(text); ++i) text = name + " " + std::to_string(i);
  return text;
}

/// The name that the machines of this file get.
std::string name_of(const std::string& path,
                    const std::vector<std::pair<std::string, Report>>& files) {
  const std::filesystem::path file(path);
  const auto same = [&](const auto& other) {
    return std::filesystem::path(other.first).stem() == file.stem();
  };
  const bool alone = std::count_if(files.begin(), files.end(), same) == 1;
  const std::string folder = std::filesystem::absolute(file).parent_path().filename().string();
  return alone || folder.empty() ? file.stem().string() : folder;
}

void add(const Report& part, const std::string& name, Report& whole) {
  for (Machine machine : part.machines) {
    const std::string before = machine.name;
    const bool several = part.machines.size() > 1;
    machine.name = unused(several ? name + "/" + before : name, whole);
    for (Result result : part.results) {
      if (result.machine != before) continue;
      result.machine = machine.name;
      whole.results.push_back(std::move(result));
    }
    whole.machines.push_back(std::move(machine));
  }
  for (const std::string& note : part.notes) whole.notes.push_back(name + ": " + note);
}

}  // namespace

Report merged(const std::vector<std::pair<std::string, Report>>& files) {
  if (files.size() == 1) return files.front().second;
  Report whole;
  for (const auto& file : files) add(file.second, name_of(file.first, files), whole);
  return whole;
}

}  // namespace report
