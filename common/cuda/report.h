// What the runtime tells about a program: mistakes with their lines, and with --check and --profile
// what the observers of the SIMT machine found and counted.
//
// Invariant: one mistake of a line is told once. Nothing here takes the lock of the runtime.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simt/observe/observers.h"

namespace td::cudart {

/// How the command wants the program to run, from the environment:
///   TD_CUDA_CHECK=FILE    under all observers; FILE gets what was found, for the verdict
///   TD_CUDA_ORDER=reversed  of the threads, and of the streams
///   TD_CUDA_PROFILE=FILE  the same, and FILE gets the tables
///   TD_CUDA_JSON=FILE, TD_CUDA_PICTURES=DIRECTORY  the profile in other forms
///   TD_CUDA_GPU=NAME      whose limits hold (H100)
struct Settings {
  std::string check, profile, json, pictures;
  bool is_reversed = false;
  bool observes() const { return !check.empty() || !profile.empty(); }
};
const Settings& settings();

/// "vecadd.cu:31", or "an unknown place".
std::string place_of(const void* pc);
/// Tells what the program does wrong at `pc`, with --check or always. @return the report's number.
std::uint64_t report(const void* pc, const std::string& text);
/// The program has asked for the error that this report is about.
void was_asked(std::uint64_t report);
/// Keeps a report that is told at the end unless the program asks for the error.
std::uint64_t report_unless_asked(const void* pc, const std::string& text);

/// What came of a launch.
void add_reports(std::vector<simt::KernelReport> reports);
/// A plain launch had this fault.
void add_fault(const simt::Finding& fault);

/// Writes what was collected. Called once, when the program ends.
/// @param has_ended by itself, so that it could have freed its memory
void write_reports(bool has_ended);

}  // namespace td::cudart
