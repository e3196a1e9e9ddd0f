// The list of findings and the words that they have in common. Invariant: texts end without a
// newline.
#include "simt/observe/findings.h"

#include <algorithm>
#include <utility>

#include "simt/texts.h"

namespace td::simt {

std::string place(const Site* site) {
  return site && !site->file.empty() ? text_of(*site) : "an unknown place";
}

std::string thread_of_block(uint3 thread, uint3 block) {
  return "thread " + text_of(thread) + " of block " + text_of(block);
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
        !entry.text.first.empty())
      return &entry;
  return nullptr;
}

void Findings::append(Finding::Kind kind, const Site* site, const void* subject,
                      const ThreadInfo& thread, Text text) {
  Entry& entry = entries_.emplace_back();
  entry.finding.kind = kind;
  entry.finding.kernel = kernel_;
  entry.finding.site = site;
  entry.finding.block = block_;
  entry.finding.thread = thread.index;
  entry.subject = subject;
  entry.text = std::move(text);
  entry.thread = thread.linear;
  entry.last_block = blocks_;
  entry.last_thread = thread.linear;
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
  entries_.emplace_back().finding = std::move(finding);
}

void Findings::remove(Finding::Kind kind, const Site* site, const void* subject) {
  if (const Entry* entry = find(kind, site, subject))
    entries_.erase(entries_.begin() + (entry - entries_.data()));
}

bool Findings::has(Finding::Kind kind) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return entry.finding.kind == kind; });
}

std::vector<Finding> Findings::take() {
  std::vector<Finding> result;
  for (Entry& entry : entries_) {
    Finding& finding = entry.finding;
    if (!entry.text.first.empty()) {
      finding.text = place(finding.site) + ": " + entry.text.first + "\n  " +
                     thread_of_block(finding.thread, finding.block) + ", lane " +
                     std::to_string(entry.thread % 32) + " of warp " +
                     std::to_string(entry.thread / 32);
      if (entry.threads > 1) finding.text += "; and " + count_of(entry.threads - 1, "more thread");
      finding.text += "\n  " + entry.text.last;
    }
    result.push_back(std::move(finding));
  }
  entries_.clear();
  return result;
}

}  // namespace td::simt
