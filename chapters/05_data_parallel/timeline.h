// A picture of what several devices did in one step, drawn from a real run: --timeline. Listens to
// every launch and copy (td/device/record.h) and puts an event before and behind each; the devices
// themselves say when they came by. Invariant: nothing is measured by the host's clock.
#pragma once

#include <algorithm>
#include <deque>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "td/device/record.h"
#include "td/td.h"

class Timeline {
 public:
  /// Starts to listen. @throws td::DeviceError for the cpu, whose work is done when a call returns.
  explicit Timeline(const std::vector<td::Device>& devices) : devices_(devices) {
    for (const td::Device& device : devices_)
      TD_CHECK(td::DeviceError, !device.is_cpu(),
               "--timeline shows an accelerator at work; take --devices sim:0,sim:1");
    for (const td::Device& device : devices_) td::synchronize(device);
    for (const td::Device& device : devices_) start_.push_back(mark(device));
    listener_ = this;
    td::record_observer = [](const td::Record& record, td::Device device) {
      listener_->note(record, device);
    };
  }
  ~Timeline() { td::record_observer = nullptr; }
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// What the work noted from now on belongs to: a letter for the text, "forward" for the picture.
  void phase(const std::string& name) {
    const std::lock_guard lock(mutex_);
    close([](const Work&) { return true; });  // no thread is in the middle of a launch here
    phase_ = name;
  }

  /// Stops listening and waits for the devices.
  void stop() {
    td::record_observer = nullptr;
    phase("");
    for (const td::Device& device : devices_) td::synchronize(device);
    for (Work& work : work_) {
      work.from = start_[work.track].elapsed_time(work.begin);
      work.to = start_[work.track].elapsed_time(work.end);
      end_ = std::max(end_, work.to);
    }
  }

  /// One line a device, a letter for each share of the step; '.' is a device that waits.
  void print(std::ostream& out, std::size_t width = 72) const {
    for (std::size_t t = 0; t < devices_.size(); ++t) {
      std::string line(width, '.');
      for (const Work& work : work_)
        if (work.track == t)
          for (std::size_t x = column(work.from, width); x < column(work.to, width); ++x)
            line[x] = work.phase[0];
      out << std::setw(6) << devices_[t].str() << " |" << line << "|\n";
    }
    out << "        0" << std::setw(static_cast<int>(width)) << std::fixed << std::setprecision(1)
        << end_ << " ms\n";
  }

  /// The same as a picture, with every launch. @throws td::IoError when it cannot be written.
  void write_svg(const std::string& path) const {
    std::ofstream out(path);
    const std::size_t height = 40 * devices_.size() + 50;
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 " << height
        << "\" font-family=\"sans-serif\" font-size=\"13\">\n"
        << "<rect width=\"900\" height=\"" << height << "\" fill=\"white\"/>\n";
    for (std::size_t t = 0; t < devices_.size(); ++t)
      out << "<text x=\"8\" y=\"" << 40 * t + 28 << "\">" << devices_[t].str() << "</text>\n";
    for (const Work& work : work_) {
      const double from = 70 + 820 * work.from / end_, to = 70 + 820 * work.to / end_;
      out << "<rect x=\"" << from << "\" y=\"" << 40 * work.track + 8 << "\" width=\""
          << std::max(0.3, to - from) << "\" height=\"30\" fill=\"" << colour(work.phase)
          << "\"><title>" << work.name << ", " << work.to - work.from << " ms</title></rect>\n";
    }
    double x = 70;
    for (const char* name : kPhases) {
      out << "<rect x=\"" << x << "\" y=\"" << height - 34
          << "\" width=\"12\" height=\"12\" fill=\"" << colour(name) << "\"/><text x=\"" << x + 17
          << "\" y=\"" << height - 23 << "\">" << name << "</text>\n";
      x += 110;
    }
    out << "<text x=\"890\" y=\"" << height - 23 << "\" text-anchor=\"end\">" << std::fixed
        << std::setprecision(1) << end_ << " ms</text>\n</svg>\n";
    if (!out.flush()) throw td::IoError("--timeline " + path + ": the picture cannot be written");
  }

 private:
  static constexpr const char* kPhases[] = {"copy", "forward", "loss", "backward", "step"};
  struct Work {
    std::size_t track;
    std::string name, phase;
    td::Event begin, end;
    std::thread::id thread;
    bool open;        // its end is not marked yet
    double from, to;  // milliseconds from the start
  };

  static td::Event mark(td::Device device) {
    td::Event event(device.type(), td::EventFlag::kTiming);
    event.record(td::getCurrentStream(device));
    return event;
  }
  // Called before each launch or copy is queued, by the thread that asks for it.
  void note(const td::Record& record, td::Device device) {
    const auto found = std::find(devices_.begin(), devices_.end(), device);
    const std::lock_guard lock(mutex_);
    // What this thread noted before is queued by now; another thread's may not be yet.
    const std::thread::id me = std::this_thread::get_id();
    close([me](const Work& work) { return work.thread == me; });
    if (found == devices_.end()) return;
    const std::string name = record.name;
    work_.push_back({static_cast<std::size_t>(found - devices_.begin()), name,
                     name == "copy" ? "copy" : phase_, mark(device),
                     td::Event(device.type(), td::EventFlag::kTiming), me, true, 0, 0});
  }
  template <class Chosen>
  void close(const Chosen& chosen) {
    for (Work& work : work_)
      if (work.open && chosen(work)) {
        work.end = mark(devices_[work.track]);
        work.open = false;
      }
  }
  std::size_t column(double time, std::size_t width) const {
    return std::min(width,
                    static_cast<std::size_t>(time / end_ * static_cast<double>(width) + 0.5));
  }
  static const char* colour(const std::string& phase) {
    return phase == "copy"       ? "#d62728"
           : phase == "forward"  ? "#1f77b4"
           : phase == "loss"     ? "#9467bd"
           : phase == "backward" ? "#2ca02c"
                                 : "#ff7f0e";
  }

  static inline Timeline* listener_ = nullptr;
  std::vector<td::Device> devices_;
  std::vector<td::Event> start_;
  std::mutex mutex_;
  std::deque<Work> work_;
  std::string phase_ = "forward";
  double end_ = 0;
};
