#include <cstdio>

#include "version.h"

int main() {
  std::printf("forebay %s\n", FOREBAY_VERSION);
  return 0;
}
