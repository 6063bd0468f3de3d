#include "diagnosis/allocator_message.h"

#include <gtest/gtest.h>

#include <string>

namespace forebay {
namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;

TEST(AllocatorMessage, ReadsTodaysPyTorch) {
  const auto message = parse_allocator_message(
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of "
      "79.25 GiB of which 1.25 GiB is free. "
      "Process 7 has 78.00 GiB memory in use. Of the allocated memory 70.50 GiB is allocated by PyTorch, and "
      "6.25 GiB is reserved by PyTorch but unallocated.");
  ASSERT_TRUE(message);
  EXPECT_EQ(message->place, AllocatorPlace::kGpu);
  EXPECT_DOUBLE_EQ(*message->requested_bytes, 2 * kGibibyte);
  EXPECT_DOUBLE_EQ(*message->allocated_bytes, 70.5 * kGibibyte);
  EXPECT_DOUBLE_EQ(*message->unallocated_bytes, 6.25 * kGibibyte);
  EXPECT_DOUBLE_EQ(*message->capacity_bytes, 79.25 * kGibibyte);
  EXPECT_DOUBLE_EQ(*message->free_bytes, 1.25 * kGibibyte);
}

TEST(AllocatorMessage, ReadsOlderPyTorchAndTheCpu) {
  const auto old = parse_allocator_message(
      "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 15.78 GiB total capacity; 14.56 "
      "GiB already allocated; 14.44 MiB free)");
  ASSERT_TRUE(old);
  EXPECT_DOUBLE_EQ(*old->requested_bytes, 20 * 1024.0 * 1024);
  EXPECT_NEAR(*old->capacity_bytes, 15.78 * kGibibyte, 1e3);
  EXPECT_NEAR(*old->allocated_bytes, 14.56 * kGibibyte, 1e3);
  const auto host = parse_allocator_message(
      "DefaultCPUAllocator: can't allocate memory: you tried to allocate 40000000000 bytes. Error code 12 "
      "(Cannot allocate memory)");
  ASSERT_TRUE(host);
  EXPECT_EQ(host->place, AllocatorPlace::kHost);
  EXPECT_DOUBLE_EQ(*host->requested_bytes, 4e10);
  const auto numpy = parse_allocator_message(
      "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 7.45 GiB for an array with shape "
      "(1000000000,)");
  ASSERT_TRUE(numpy);
  EXPECT_NEAR(*numpy->requested_bytes, 7.45 * kGibibyte, 1e3);
  EXPECT_TRUE(parse_allocator_message("MemoryError"));
  EXPECT_FALSE(parse_allocator_message("MemoryError")->requested_bytes);
}

TEST(AllocatorMessage, OtherLinesAreNone) {
  for (const char* line : {"", "step=3 loss=0.1", "memory: 3 GiB", "Killed"})
    EXPECT_FALSE(parse_allocator_message(line)) << line;
}

TEST(AllocatorMessage, HostileLinesDoNoHarm) {
  for (const char* line :
       {"CUDA out of memory. Tried to allocate ", "CUDA out of memory. Tried to allocate . . .",
        " is allocated by PyTorch CUDA out of memory",
        "CUDA out of memory. Tried to allocate 99999999999999999999999 GiB", "MemoryError x is free",
        "CUDA out of memory -1 GiB is free"})
    EXPECT_TRUE(parse_allocator_message(line)) << line;
  EXPECT_TRUE(parse_allocator_message("MemoryError" + std::string(1'000'000, 'x')));
}

}  // namespace
}  // namespace forebay
