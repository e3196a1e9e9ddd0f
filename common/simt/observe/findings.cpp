// The list of findings and the words that they have in common. Invariant: texts end without a
// newline.
#include "simt/observe/findings.h"

#include <algorithm>
#include <utility>

namespace td::simt {

std::string place(const Site* site) {
  if (!site || site->file.empty()) return "an unknown place";
  return site->file.substr(site->file.rfind('/') + 1) + ':' + std::to_string(site->line);
}

std::string triple(uint3 v) {
  return '(' + std::to_string(v.x) + ',' + std::to_string(v.y) + ',' + std::to_string(v.z) + ')';
}

std::string thread_of_block(uint3 thread, uint3 block) {
  return "thread " + triple(thread) + " of block " + triple(block);
}

std::string who(const ThreadInfo& thread, uint3 block) {
  return thread_of_block(thread.index, block) + ", lane " + std::to_string(thread.lane()) +
         " of warp " + std::to_string(thread.warp());
}

std::string count_of(std::size_t count, const std::string& noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

const char* verb(AccessKind kind) {
  switch (kind) {
    case AccessKind::kRead:
      return "reads";
    case AccessKind::kWrite:
      return "writes";
    case AccessKind::kAtomic:
      return "updates";
  }
  return "";
}

void Findings::begin_launch(const LaunchInfo& launch) {
  kernel_ = launch.kernel;
  blocks_ = 0;
  entries_.clear();
}

void Findings::begin_block(uint3 block) {
  block_ = block;
  ++blocks_;
}

Findings::Entry* Findings::find(Finding::Kind kind, const Site* site, const void* subject) {
  for (Entry& entry : entries_)
    if (entry.finding.kind == kind && entry.finding.site == site && entry.subject == subject &&
        !entry.lines.first.empty())
      return &entry;
  return nullptr;
}

void Findings::append(Finding::Kind kind, const Site* site, const void* subject,
                      const ThreadInfo& thread, Lines lines) {
  Entry entry{{.kind = kind,
               .kernel = kernel_,
               .site = site,
               .block = block_,
               .thread = thread.index,
               .text = ""},
              subject,
              std::move(lines),
              simt::who(thread, block_)};
  entry.last_block = blocks_;
  entry.last_thread = thread.linear;
  entries_.push_back(std::move(entry));
}

void Findings::count(Entry& entry, const ThreadInfo& thread) const {
  ++entry.finding.count;
  if (entry.last_block == blocks_ && entry.last_thread == thread.linear) return;
  ++entry.threads;
  entry.last_block = blocks_;
  entry.last_thread = thread.linear;
}

void Findings::add(Finding finding) {
  for (Entry& entry : entries_)
    if (entry.finding.kind == finding.kind && entry.finding.site == finding.site &&
        entry.finding.text == finding.text) {
      entry.finding.count += finding.count;
      return;
    }
  Entry entry;
  entry.finding = std::move(finding);
  entries_.push_back(std::move(entry));
}

void Findings::remove(Finding::Kind kind, const Site* site, const void* subject) {
  if (const Entry* entry = find(kind, site, subject))
    entries_.erase(entries_.begin() + (entry - entries_.data()));
}

std::vector<Finding> Findings::take() {
  std::vector<Finding> result;
  for (Entry& entry : entries_) {
    Finding& finding = entry.finding;
    if (!entry.lines.first.empty()) {
      finding.text = place(finding.site) + ": " + entry.lines.first + "\n  " + entry.who;
      if (entry.threads > 1)
        finding.text += "; and " + std::to_string(entry.threads - 1) + " more thread" +
                        (entry.threads == 2 ? "" : "s");
      finding.text += "\n  " + entry.lines.last;
    }
    result.push_back(std::move(finding));
  }
  entries_.clear();
  return result;
}

}  // namespace td::simt
