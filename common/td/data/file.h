// Reading and writing of whole files with errors in words. Writing is all or nothing: a file
// appears under its name complete, or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace td::data {

/// The contents of a file.
using Bytes = std::vector<std::uint8_t>;

/// A whole file. @throws IoError naming the file, the system's reason and the next step.
Bytes read_file(const std::string& path);
/// True when something is at `path`.
bool file_exists(const std::string& path);
/// Makes a folder and those above it. @throws IoError
void make_folder(const std::string& path);
/// Writes a file under a temporary name, flushes it to disk and renames it. On failure nothing is
/// left behind. @throws IoError naming the file, the system's reason and the next step.
void write_file(const std::string& path, const void* data, std::size_t bytes);

}  // namespace td::data
