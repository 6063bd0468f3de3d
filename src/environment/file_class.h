// What kind of file or folder a name stands for, when code is kept: judged by name and size alone.
#pragma once

#include <cstdint>
#include <string_view>

namespace forebay {

// Images, audio, arrays, archives, weights, tables; and anything of 10 MiB or more.
bool is_data_like(std::string_view name, std::int64_t size);
// .env, private keys, .netrc, credential files: never copied into a record.
bool is_secret_file(std::string_view name);
// Folders that are never code: version control, caches of tools, installed packages. Others are told by a
// file in them (pyvenv.cfg, conda-meta, CACHEDIR.TAG), see is_rebuilt_folder_marker.
bool is_never_code_folder(std::string_view name);
bool is_rebuilt_folder_marker(std::string_view name);

}  // namespace forebay
