# The third-party libraries, each behind one target. Static where Debian ships an archive, so that the program starts fast
# and the tarball carries little.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(spdlog REQUIRED)
find_package(CURL REQUIRED)

function(forebay_prefer_static target library)
  find_library(FOREBAY_${library}_A NAMES lib${library}.a)
  add_library(${target} INTERFACE)
  if(FOREBAY_${library}_A)
    target_link_libraries(${target} INTERFACE ${FOREBAY_${library}_A} ${ARGN})
  else()
    target_link_libraries(${target} INTERFACE ${library} ${ARGN})
  endif()
endfunction()

# Debian 12 ships fmt and spdlog only as shared libraries (cmake/fmt says why that will not do): fmt is compiled once from
# its own header, spdlog is used header-only by the one file that includes it (base/log.cc).
add_library(lib_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt/format.cc)
target_include_directories(lib_fmt SYSTEM PUBLIC $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_options(lib_fmt PRIVATE -w)
add_library(lib_log INTERFACE)
target_compile_definitions(lib_log INTERFACE SPDLOG_FMT_EXTERNAL)
target_link_libraries(lib_log INTERFACE lib_fmt)
forebay_prefer_static(lib_sqlite sqlite3 m ${CMAKE_DL_LIBS})
forebay_prefer_static(lib_sodium sodium)
forebay_prefer_static(lib_yaml yaml-cpp)

# Only libcurl's header is used to build: the library itself is loaded when something is fetched (catalog/http_client.cc), so
# that no command waits for its thirty libraries.
add_library(lib_curl_header INTERFACE)
target_include_directories(lib_curl_header SYSTEM INTERFACE ${CURL_INCLUDE_DIRS})
