# The third-party libraries, each behind one target. Static where Debian ships an archive, so that the program starts fast
# and the tarball carries little.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(spdlog REQUIRED)

function(forebay_prefer_static target library)
  find_library(FOREBAY_${library}_A NAMES lib${library}.a)
  add_library(${target} INTERFACE)
  if(FOREBAY_${library}_A)
    target_link_libraries(${target} INTERFACE ${FOREBAY_${library}_A} ${ARGN})
  else()
    target_link_libraries(${target} INTERFACE ${library} ${ARGN})
  endif()
endfunction()

# fmt and spdlog exist only as shared libraries in Debian 12.
add_library(lib_fmt INTERFACE)
target_link_libraries(lib_fmt INTERFACE fmt::fmt)
add_library(lib_log INTERFACE)
target_link_libraries(lib_log INTERFACE spdlog::spdlog)
forebay_prefer_static(lib_sqlite sqlite3 m ${CMAKE_DL_LIBS})
forebay_prefer_static(lib_sodium sodium)
forebay_prefer_static(lib_yaml yaml-cpp)
