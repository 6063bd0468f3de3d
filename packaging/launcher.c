/* bin/forebay of the relocatable tarball: starts lib/forebay/program with the C library that lies beside it.
 *
 * The program is an ordinary dynamic executable (it must dlopen the host's GPU library), but the host's C library may be older
 * than the one it was built with. So its own loader is run with its own library folder. Nothing of that reaches the job:
 * --library-path acts on this one program, no LD_* variable is set, and FOREBAY_LAUNCHER is removed from a job's environment.
 * docs/decisions/0002-how-the-binary-is-linked.md has the measurements.
 *
 * This file is linked statically and allocates nothing. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOADER_WORDS = 6, MAX_ARGUMENTS = 1 << 20 };

extern char** environ;

static int fail(const char* what, const char* path) {
  char text[PATH_MAX + 256];
  int length = snprintf(text, sizeof text, "forebay: %s: %s: %s\n", what, path, strerror(errno));
  if (length > 0 && write(2, text, (size_t)length) < 0) return 126;
  return 126;
}

/* Cuts the last component off `path`; false when there is none. */
static int to_parent(char* path) {
  char* slash = strrchr(path, '/');
  if (slash == NULL || slash == path) return 0;
  *slash = '\0';
  return 1;
}

int main(int argc, char** argv) {
  static char self[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) return fail("cannot find out where this program lies (is /proc mounted?)", "/proc/self/exe");
  self[length] = '\0';

  static char library_folder[PATH_MAX], loader[PATH_MAX], program[PATH_MAX];
  char prefix[PATH_MAX];
  memcpy(prefix, self, (size_t)length + 1);
  if (!to_parent(prefix) || !to_parent(prefix)) prefix[0] = '\0';
  errno = ENAMETOOLONG;
  if (snprintf(library_folder, sizeof library_folder, "%s/lib/forebay", prefix) >= PATH_MAX ||
      snprintf(loader, sizeof loader, "%s/loader/forebay", library_folder) >= PATH_MAX ||
      snprintf(program, sizeof program, "%s/program", library_folder) >= PATH_MAX)
    return fail("path too long", self);

  if (argc < 1 || argc > MAX_ARGUMENTS) return 126;
  char* words[argc + LOADER_WORDS];
  int count = 0;
  words[count++] = loader;
  words[count++] = (char*)"--argv0";
  words[count++] = argv[0];
  words[count++] = (char*)"--library-path";
  words[count++] = library_folder;
  words[count++] = program;
  for (int i = 1; i < argc; ++i) words[count++] = argv[i];
  words[count] = NULL;

  if (setenv("FOREBAY_LAUNCHER", self, 1) != 0) return fail("cannot set FOREBAY_LAUNCHER", self);
  execve(loader, words, environ);
  return fail("cannot start the program that belongs to this launcher", loader);
}
