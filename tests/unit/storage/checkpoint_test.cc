#include "storage/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "temporary_folder.h"

namespace forebay {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

template <typename Number>
std::string little(Number value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

// A stored zip of one entry "data"; its CRC-32 is that of "123456789".
std::string zip() {
  const std::string name = "archive/data.pkl", data = "123456789";
  const std::string middle = little<std::uint16_t>(0) + little<std::uint16_t>(0) + little<std::uint32_t>(0) +
                             little<std::uint32_t>(0xCBF43926u) + little<std::uint32_t>(9) +
                             little<std::uint32_t>(9) + little<std::uint16_t>(16) + little<std::uint16_t>(0);
  const std::string local = "PK\x03\x04" + little<std::uint16_t>(20) + middle + name + data;
  const std::string central = "PK\x01\x02" + little<std::uint16_t>(20) + little<std::uint16_t>(20) + middle +
                              std::string(10, '\0') + little<std::uint32_t>(0) + name;
  return local + central + "PK\x05\x06" + std::string(4, '\0') + little<std::uint16_t>(1) +
         little<std::uint16_t>(1) + little<std::uint32_t>(static_cast<std::uint32_t>(central.size())) +
         little<std::uint32_t>(static_cast<std::uint32_t>(local.size())) + little<std::uint16_t>(0);
}

std::string safetensors() {
  const std::string header =
      R"({"__metadata__":{"a":"b"},"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  return little<std::uint64_t>(header.size()) + header + "12345678";
}

class Checkpoints : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& content, int seconds_ago = 0) {
    const std::string path = folder_.file(name);
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << content;
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::seconds(seconds_ago));
  }
  std::vector<std::string> whole(const std::optional<std::string>& complete = std::nullopt,
                                 const std::string& below = "") {
    std::vector<std::string> names;
    for (const auto& checkpoint : find_checkpoints(folder_.file(below), complete).whole)
      names.push_back(checkpoint.path.substr(folder_.path().size() + 1));
    return names;
  }
  TemporaryFolder folder_;
};

TEST_F(Checkpoints, AnyTruncationOfAnArchiveIsSeen) {
  const std::string good = zip();
  write("a.pt", good);
  EXPECT_EQ(zip_problem(folder_.file("a.pt"), true), std::nullopt);
  for (std::size_t size = 0; size < good.size(); ++size) {
    write("a.pt", good.substr(0, size));
    EXPECT_TRUE(zip_problem(folder_.file("a.pt"), false)) << size;
  }
  std::string damaged = good;
  damaged[good.find("123456789")] = 'x';
  write("a.pt", damaged);
  EXPECT_EQ(zip_problem(folder_.file("a.pt"), false), std::nullopt);
  EXPECT_TRUE(zip_problem(folder_.file("a.pt"), true));
}

TEST_F(Checkpoints, DamagedArchivesNeverCrashTheReader) {
  for (std::size_t at = 0; at < zip().size(); ++at)
    for (const char byte : {'\0', '\xFF', '\x7F'}) {
      std::string bytes = zip();
      bytes[at] = byte;
      write("a.pt", bytes);
      (void)zip_problem(folder_.file("a.pt"), true);
      if (at < safetensors().size()) {
        bytes = safetensors();
        bytes[at] = byte;
        write("a.safetensors", bytes);
        (void)safetensors_problem(folder_.file("a.safetensors"));
      }
    }
}

TEST_F(Checkpoints, AnArchiveOfTorchIsWhole) {
  const std::string line = "python3 -c \"import torch; torch.save({'w': torch.zeros(1000)}, '" +
                           folder_.file("t.pt") + "')\" 2>/dev/null";
  if (std::system(line.c_str()) != 0) GTEST_SKIP() << "torch is not installed for python3";
  EXPECT_EQ(zip_problem(folder_.file("t.pt"), true), std::nullopt);
  const std::string bytes = *read_file(folder_.file("t.pt"));
  for (const double part : {0.1, 0.5, 0.9, 0.99}) {
    write("cut.pt", bytes.substr(0, static_cast<std::size_t>(static_cast<double>(bytes.size()) * part)));
    EXPECT_TRUE(zip_problem(folder_.file("cut.pt"), false));
  }
}

TEST_F(Checkpoints, SafetensorsMustBeComplete) {
  const std::string good = safetensors();
  write("a.safetensors", good);
  EXPECT_EQ(safetensors_problem(folder_.file("a.safetensors")), std::nullopt);
  for (std::size_t size = 0; size < good.size(); ++size) {
    write("a.safetensors", good.substr(0, size));
    EXPECT_TRUE(safetensors_problem(folder_.file("a.safetensors"))) << size;
  }
}

TEST_F(Checkpoints, MarkersBesideAndInsideCount) {
  write("step-9.pt", "x");
  write("step-9.done", "");
  write("step-10/model.pt", "x");
  write("step-10.done", "");
  write("step-11/model.pt", "x");
  write("step-11/all.done", "");
  write("step-12/model.pt", "x");
  write("step-13.pt", "x");
  EXPECT_THAT(whole("*.done"), ElementsAre("step-11", "step-10", "step-9.pt"));
  const auto listing = find_checkpoints(folder_.path(), "*.done");
  EXPECT_EQ(listing.incomplete.size(), 2u);
  EXPECT_EQ(resume_checkpoint(folder_.path(), "*.done"), folder_.file("step-11"));
  EXPECT_EQ(resume_checkpoint(folder_.file("step-9.pt"), "*.done"), folder_.file("step-9.pt"));
  EXPECT_EQ(resume_checkpoint(folder_.file("step-13.pt"), "*.done"), std::nullopt);
  EXPECT_EQ(resume_checkpoint(folder_.file("nowhere"), "*.done"), std::nullopt);
}

TEST_F(Checkpoints, TrainerFoldersNeedTheirStateAndSoundWeights) {
  for (const char* name :
       {"checkpoint-500", "checkpoint-1000", "checkpoint-1500", "checkpoint-2000", "checkpoint-2500"})
    write(std::string(name) + "/model.safetensors", safetensors());
  write("checkpoint-500/trainer_state.json", R"({"global_step": 500})");
  write("checkpoint-1000/trainer_state.json", R"({"global_step": 1000})");
  write("checkpoint-1500/trainer_state.json", R"({"global_step": 15)");
  write("checkpoint-2500/trainer_state.json", R"({"global_step": 2500})");
  write("checkpoint-2500/optimizer.pt", zip().substr(0, 50));
  write("runs/events", "not a checkpoint");
  EXPECT_THAT(whole(), ElementsAre("checkpoint-1000", "checkpoint-500"));
  EXPECT_EQ(find_checkpoints(folder_.path(), std::nullopt).incomplete.size(), 3u);
  write("checkpoint-1000/model.safetensors.index.json",
        R"({"weight_map": {"a": "model-00002-of-00002.safetensors"}})");
  EXPECT_THAT(whole(), ElementsAre("checkpoint-500"));
}

TEST_F(Checkpoints, FilesAreOrderedByStepOrElseByTime) {
  write("epoch=0-step=90.ckpt", zip(), 10);
  write("epoch=1-step=200.ckpt", zip(), 100);
  write("half.ckpt", zip().substr(0, 30));
  EXPECT_THAT(whole(), ElementsAre("epoch=1-step=200.ckpt", "epoch=0-step=90.ckpt"));
  write("last.ckpt", zip(), 50);
  EXPECT_THAT(whole(), ElementsAre("epoch=0-step=90.ckpt", "last.ckpt", "epoch=1-step=200.ckpt"));
}

TEST_F(Checkpoints, OnlySavedOnesBeyondTheNewestAreDeleted) {
  for (int i = 1; i <= 5; ++i) write("step-" + std::to_string(i) + ".pt", zip());
  write("step-6.pt", "half");
  const auto listing = find_checkpoints(folder_.path(), std::nullopt);
  const auto deleted =
      retain_checkpoints(listing, 2, [](const Checkpoint& checkpoint) { return checkpoint.step != 2; });
  ASSERT_TRUE(deleted);
  EXPECT_THAT(*deleted, ElementsAre(folder_.file("step-3.pt"), folder_.file("step-1.pt")));
  EXPECT_THAT(*list_directory(folder_.path()),
              ElementsAre("step-2.pt", "step-4.pt", "step-5.pt", "step-6.pt"));
  write("a-1.pt", "x");
  write("a-1.ok", "");
  write("a-2.pt", "x");
  write("a-2.ok", "");
  ASSERT_TRUE(retain_checkpoints(find_checkpoints(folder_.path(), "*.ok"), 1,
                                 [](const Checkpoint&) { return true; }));
  EXPECT_FALSE(path_exists(folder_.file("a-1.pt")));
  EXPECT_FALSE(path_exists(folder_.file("a-1.ok")));
  EXPECT_TRUE(path_exists(folder_.file("a-2.ok")));
  EXPECT_FALSE(retain_checkpoints(listing, 0, [](const Checkpoint&) { return true; }));
}

}  // namespace
}  // namespace forebay
