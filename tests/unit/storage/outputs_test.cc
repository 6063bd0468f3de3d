#include "storage/outputs.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/file.h"
#include "base/hash.h"
#include "storage/output_paths.h"
#include "temporary_folder.h"

namespace forebay {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Outputs : public ::testing::Test {
 protected:
  void SetUp() override {
    settings_.workdir = folder_.file("work");
    settings_.run_id = "run-1";
    settings_.variables = {{"FOREBAY_RUN", "run-1"}, {"STAGE", "a b"}};
    fs::create_directories(settings_.workdir);
  }
  void write(const std::string& name, const std::string& content) {
    const std::string path = settings_.workdir + "/" + name;
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << content;
  }
  OutputResult copy(const std::string& from, const std::string& to) {
    last_ = copy_outputs({{from, to}}, settings_);
    return last_.results.at(0);
  }
  std::vector<std::string> names(const std::string& below) {
    std::vector<std::string> found;
    const std::string root = folder_.file(below);
    if (!fs::exists(root)) return found;
    for (const auto& entry : fs::recursive_directory_iterator(root))
      found.push_back(entry.path().string().substr(root.size() + 1));
    std::sort(found.begin(), found.end());
    return found;
  }
  TemporaryFolder folder_;
  OutputSettings settings_;
  OutputsReport last_;
};

TEST_F(Outputs, AFolderIsCopiedWithModesTimesHolesAndHostileNames) {
  write("out/model.pt", "weights");
  write("out/deep/er/-x", "dash");
  write("out/new\nline", "n");
  write("out/caf\xC3\xA9", "1");
  write("out/cafe\xCC\x81", "2");
  write("out/..x", "dots");
  write("out/bad\xFF", "bytes");
  write("out/empty", "");
  fs::create_directories(settings_.workdir + "/out/nothing");
  fs::permissions(settings_.workdir + "/out/model.pt", fs::perms(0640));
  fs::last_write_time(settings_.workdir + "/out/model.pt",
                      fs::file_time_type::clock::now() - std::chrono::hours(1000));
  fs::create_symlink("model.pt", settings_.workdir + "/out/latest");
  fs::create_symlink("deep", settings_.workdir + "/out/deeper");
  {
    UniqueFd fd(::open((settings_.workdir + "/out/sparse").c_str(), O_WRONLY | O_CREAT, 0600));
    ASSERT_EQ(::pwrite(fd.get(), "x", 1, 50 << 20), 1);
    ASSERT_EQ(::ftruncate(fd.get(), 60 << 20), 0);
  }
  const auto result = copy("out/", "file://" + folder_.file("saved") + "/$FOREBAY_RUN/${STAGE}/");
  ASSERT_FALSE(result.error) << result.error->sentence();
  EXPECT_EQ(result.destination, folder_.file("saved/run-1/a b"));
  EXPECT_EQ(names("saved/run-1/a b"), names("work/out"));
  struct stat before{}, after{}, sparse{};
  ::stat((settings_.workdir + "/out/model.pt").c_str(), &before);
  ::stat(folder_.file("saved/run-1/a b/model.pt").c_str(), &after);
  ::stat(folder_.file("saved/run-1/a b/sparse").c_str(), &sparse);
  EXPECT_EQ(before.st_mode, after.st_mode);
  EXPECT_EQ(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
  EXPECT_EQ(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
  EXPECT_EQ(sparse.st_size, 60 << 20);
  EXPECT_LT(sparse.st_blocks * 512, 1 << 20);
  EXPECT_EQ(fs::read_symlink(folder_.file("saved/run-1/a b/latest")), "model.pt");
  const Json manifest = last_.to_json();
  EXPECT_TRUE(*manifest["complete"].as_bool());
  for (const auto& file : result.files) {
    if (file.sha256.empty()) continue;
    EXPECT_EQ(file.sha256, *sha256_file(file.to)) << file.to;
  }
}

TEST_F(Outputs, ASecondCopyFindsEverythingThere) {
  write("out/a", "1");
  write("out/b", "2");
  copy("out", folder_.file("saved"));
  settings_.previous = last_.to_json();
  write("out/b", "3");
  const auto result = copy("out", folder_.file("saved"));
  ASSERT_FALSE(result.error);
  EXPECT_TRUE(result.files[0].was_there);
  EXPECT_FALSE(result.files[1].was_there);
  EXPECT_EQ(*read_file(folder_.file("saved/b")), "3");
  // Without a manifest, and with the destination changed behind our back to the same size.
  settings_.previous = Json();
  std::ofstream(folder_.file("saved/a")) << "X";
  copy("out", folder_.file("saved"));
  EXPECT_EQ(*read_file(folder_.file("saved/a")), "1");
}

TEST_F(Outputs, FilesGlobsAndLinks) {
  write("best.pt", "w");
  write("ckpt/1.pt", "1");
  write("ckpt/deep/2.pt", "2");
  write("ckpt/notes.txt", "n");
  write("a*b", "star");
  fs::create_symlink("ckpt/1.pt", settings_.workdir + "/current");
  copy("best.pt", folder_.file("one/"));
  EXPECT_THAT(names("one"), ElementsAre("best.pt"));
  copy("best.pt", folder_.file("two/renamed.pt"));
  EXPECT_THAT(names("two"), ElementsAre("renamed.pt"));
  copy("ckpt/*.pt", folder_.file("three"));
  EXPECT_THAT(names("three"), ElementsAre("1.pt"));
  copy("ckpt/**/*.pt", folder_.file("four"));
  EXPECT_THAT(names("four"), ElementsAre("1.pt", "deep", "deep/2.pt"));
  copy("current", folder_.file("five/"));
  EXPECT_EQ(*read_file(folder_.file("five/current")), "1");
  copy("a*b", folder_.file("six/"));
  EXPECT_THAT(names("six"), ElementsAre("a*b"));
  EXPECT_EQ(copy("*.nothing", folder_.file("seven")).error->code, ErrorCode::kNotFound);
  EXPECT_EQ(copy("nothing", folder_.file("seven")).error->code, ErrorCode::kNotFound);
}

TEST_F(Outputs, LinksOutOfTheTreeAndOddFilesAreSkippedAndSaid) {
  write("out/a", "1");
  std::ofstream(folder_.file("private")) << "secret";
  fs::create_symlink(folder_.file("private"), settings_.workdir + "/out/absolute");
  fs::create_symlink("../../private", settings_.workdir + "/out/upwards");
  fs::create_symlink("..", settings_.workdir + "/out/loop");
  fs::create_symlink("loop/../private", settings_.workdir + "/out/sly");
  ::mkfifo((settings_.workdir + "/out/pipe").c_str(), 0600);
  const auto result = copy("out", folder_.file("saved"));
  ASSERT_FALSE(result.error);
  EXPECT_THAT(names("saved"), ElementsAre("a"));
  EXPECT_EQ(result.skipped.size(), 5u);
}

TEST_F(Outputs, WhatCannotBeRightIsRefused) {
  write("out/a", "1");
  EXPECT_EQ(copy("out", "out/copy").error->code, ErrorCode::kInvalidInput);
  EXPECT_EQ(copy("out", "out").error->code, ErrorCode::kInvalidInput);
  EXPECT_EQ(copy(".", folder_.file("work/out/x")).error->code, ErrorCode::kInvalidInput);
  EXPECT_EQ(copy("o*", settings_.workdir + "/out/deep/er").error->code, ErrorCode::kInvalidInput);
  EXPECT_EQ(copy("out/a", "out/a").error->code, ErrorCode::kInvalidInput);
  EXPECT_EQ(copy("out", "s3://bucket/x").error->code, ErrorCode::kUnsupported);
  EXPECT_EQ(copy("out", "file://host/x").error->code, ErrorCode::kInvalidInput);
  const auto unknown = copy("out", folder_.file("saved/$HOME"));
  EXPECT_EQ(unknown.error->code, ErrorCode::kInvalidInput);
  EXPECT_THAT(unknown.error->sentence(), HasSubstr("$HOME"));
  for (const char* bad : {"", "x/$", "x/${", "x/${FOREBAY_RUN", "x/$ y"})
    EXPECT_EQ(copy("out", bad).error->code, ErrorCode::kInvalidInput) << bad;
  fs::create_symlink(settings_.workdir + "/out", folder_.file("door"));
  EXPECT_EQ(copy("out", folder_.file("door/inner")).error->code, ErrorCode::kInvalidInput);
  EXPECT_EQ(*expand_variables("a$$b", {}), "a$b");
  EXPECT_EQ(check_outputs({{"later/", "later/copy"}, {"later2", "fine"}}, settings_).size(), 1u);
}

TEST_F(Outputs, WhatIsInTheWayAtTheDestinationIsNotFollowed) {
  write("out/sub/a", "1");
  write("out/b", "1");
  fs::create_directories(folder_.file("saved"));
  fs::create_directories(folder_.file("elsewhere"));
  fs::create_symlink(folder_.file("elsewhere"), folder_.file("saved/sub"));
  EXPECT_EQ(copy("out", folder_.file("saved")).error->code, ErrorCode::kConflict);
  EXPECT_TRUE(names("elsewhere").empty());
  fs::remove(folder_.file("saved/sub"));
  fs::create_directories(folder_.file("saved/b"));
  EXPECT_EQ(copy("out", folder_.file("saved")).error->code, ErrorCode::kConflict);
  EXPECT_THAT(names("saved"), ElementsAre("b"));
  fs::remove(folder_.file("saved/b"));
  fs::create_symlink(folder_.file("victim"), folder_.file("saved/b"));
  ASSERT_FALSE(copy("out", folder_.file("saved")).error);
  EXPECT_FALSE(fs::exists(folder_.file("victim")));
  EXPECT_EQ(*read_file(folder_.file("saved/b")), "1");
}

TEST_F(Outputs, AStoppedCopyShowsNothingAndGoesOnLater) {
  for (int i = 0; i < 8; ++i)
    write("out/" + std::to_string(i), std::string(3 << 20, static_cast<char>('a' + i)));
  std::int64_t last = 0, total = 0;
  settings_.progress = [&](const OutputProgress& progress) {
    last = progress.bytes_done, total = progress.bytes_total;
  };
  settings_.cancelled = [&] { return last > 10 << 20; };
  EXPECT_EQ(copy("out", folder_.file("saved")).error->code, ErrorCode::kCancelled);
  EXPECT_EQ(total, 24 << 20);
  EXPECT_THAT(names("saved"), ::testing::Each(::testing::StartsWith(".forebay-partial-")));
  settings_.cancelled = nullptr;
  ASSERT_FALSE(copy("out", folder_.file("saved")).error);
  EXPECT_EQ(last, 24 << 20);
  EXPECT_EQ(names("saved"), names("work/out"));
}

TEST_F(Outputs, AFileThatKeepsChangingIsAnErrorAndNothingIsShown) {
  write("out/calm", "1");
  write("out/busy", std::string(8 << 20, 'x'));
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    while (!stop) std::ofstream(settings_.workdir + "/out/busy", std::ios::app) << "y";
  });
  const auto result = copy("out", folder_.file("saved"));
  stop = true;
  writer.join();
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->code, ErrorCode::kConflict);
  EXPECT_FALSE(fs::exists(folder_.file("saved/calm")));
}

TEST_F(Outputs, AFullDiskIsAnErrorThatLeavesNothing) {
  const std::string disk = folder_.file("disk");
  fs::create_directories(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=2m") != 0)
    GTEST_SKIP() << "mounting is not allowed here";
  write("out/small", "1");
  write("out/large", std::string(4 << 20, 'x'));
  std::ofstream(disk + "/mine") << "kept";
  auto result = copy("out", disk);
  EXPECT_EQ(result.error->code, ErrorCode::kResourceExhausted);
  // A file that grows after the space was counted.
  write("out/large", std::string(1 << 20, 'x'));
  settings_.progress = [&](const OutputProgress&) {
    std::ofstream(disk + "/other") << std::string(2 << 20, 'x');
  };
  result = copy("out", disk);
  EXPECT_EQ(result.error.value_or(Error{}).code, ErrorCode::kResourceExhausted);
  std::error_code ignored;
  fs::remove(disk + "/other", ignored);
  EXPECT_THAT(names("disk"), ElementsAre("mine"));
  ::umount(disk.c_str());
}

TEST_F(Outputs, OneRequestThatFailsDoesNotStopTheOthers) {
  write("out/a", "1");
  const auto report =
      copy_outputs({{"nothing", folder_.file("x")}, {"out", folder_.file("saved")}}, settings_);
  EXPECT_FALSE(report.is_complete());
  EXPECT_TRUE(report.results[0].error);
  EXPECT_FALSE(report.results[1].error);
  EXPECT_EQ(report.to_json()["outputs"].at(0)["error"]["code"].string_or_empty(), "not-found");
  EXPECT_THAT(names("saved"), ElementsAre("a"));
}

TEST_F(Outputs, AReadOnlyDestinationIsSaid) {
  write("out/a", "1");
  EXPECT_TRUE(copy("out", "/proc/forebay-nowhere").error);
}

std::vector<std::string> replaced_of(const OutputResult& result) {
  std::vector<std::string> names;
  for (const CopiedFile& file : result.files)
    if (file.replaced) names.push_back(fs::path(file.to).filename());
  std::sort(names.begin(), names.end());
  return names;
}

TEST_F(Outputs, FilesOfOthersThatAreReplacedAreCounted) {
  for (const char* name : {"same", "other", "shorter", "linked", "link-same", "link-other", "new"})
    write(std::string("out/") + name, "content");
  fs::remove(settings_.workdir + "/out/link-same");
  fs::remove(settings_.workdir + "/out/link-other");
  fs::create_symlink("same", settings_.workdir + "/out/link-same");
  fs::create_symlink("same", settings_.workdir + "/out/link-other");
  fs::create_directories(folder_.file("saved"));
  std::ofstream(folder_.file("saved/same")) << "content";
  std::ofstream(folder_.file("saved/other")) << "CONTENT";
  std::ofstream(folder_.file("saved/shorter")) << "c";
  fs::create_symlink("nowhere", folder_.file("saved/linked"));
  fs::create_symlink("same", folder_.file("saved/link-same"));
  fs::create_symlink("other", folder_.file("saved/link-other"));
  settings_.began = Instant{4'000'000'000'000'000'000};  // what lies there is older
  const auto result = copy("out", folder_.file("saved"));
  ASSERT_FALSE(result.error) << result.error->sentence();
  EXPECT_THAT(replaced_of(result), ElementsAre("link-other", "linked", "other", "shorter"));
  EXPECT_EQ(last_.replaced(), 4u);
  EXPECT_EQ(last_.to_json()["replaced"].as_integer(), 4);
  EXPECT_EQ(last_.to_json()["outputs"].at(0)["replaced"].as_integer(), 4);
}

TEST_F(Outputs, WhatTheRunPutThereItselfIsNotAnotherFile) {
  write("out/a", "1");
  write("out/b", "1");
  fs::create_directories(folder_.file("saved"));
  std::ofstream(folder_.file("saved/b")) << "of another run";
  settings_.began = Instant{0};  // copies between times came after the run began
  EXPECT_THAT(replaced_of(copy("out", folder_.file("saved"))), ElementsAre());
  write("out/a", "22");
  settings_.replaced_before = {folder_.file("saved/b")};  // said by a copy between times
  EXPECT_THAT(replaced_of(copy("out", folder_.file("saved"))), ElementsAre("b"));

  settings_.previous = last_.to_json();  // a copy that is repeated: the manifest knows its own files
  settings_.replaced_before.clear();
  write("out/a", "333");
  EXPECT_THAT(replaced_of(copy("out", folder_.file("saved"))), ElementsAre("b"));
  settings_.previous = last_.to_json();
  std::ofstream(folder_.file("saved/a")) << "somebody else's";
  EXPECT_THAT(replaced_of(copy("out", folder_.file("saved"))), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace forebay
