# Compiler settings shared by every target: warnings are errors, ccache and mold where present, sanitizers by preset.
set(CMAKE_CXX_FLAGS_DEV "-O0 -g1" CACHE STRING "flags of the dev preset")
set(CMAKE_C_FLAGS_DEV "-O0 -g1" CACHE STRING "flags of the dev preset")
# With optimisation g++ 12 sees uninitialised values in std::optional (GCC bug 80635) and overlapping copies in std::string
# (GCC bug 105651) where there are none.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG -Wno-maybe-uninitialized -Wno-restrict" CACHE STRING "flags of the release preset" FORCE)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # base_dir makes checkouts in different folders share the cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

add_compile_options(-Wall -Wextra -Werror -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wno-missing-field-initializers)
add_compile_definitions(_FILE_OFFSET_BITS=64)

find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM AND NOT FOREBAY_SANITIZE)
  add_link_options(-fuse-ld=mold)
endif()

if(FOREBAY_SANITIZE)
  add_compile_options(-fsanitize=${FOREBAY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FOREBAY_SANITIZE})
  if(FOREBAY_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)
  endif()
endif()

if(FOREBAY_FUZZ)
  # Coverage feedback for libFuzzer in every room; the fuzz programs themselves link its main.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # libstdc++ 12's own std::stable_sort uses what it declares deprecated; g++ does not warn inside system headers, clang does.
  add_compile_options(-Wno-deprecated-declarations)
endif()
