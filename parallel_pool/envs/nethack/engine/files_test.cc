#include "parallel_pool/envs/nethack/engine/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

namespace parallel_pool::nethack {
namespace {

const std::vector<uint8_t> kData = {'d', 'a', 't', 'a'};

struct FilesTest : testing::Test {
  FilesTest() { files.Reset(std::vector{"record"}, kData); }

  std::string Rest(int descriptor) {
    std::string text(100, ' ');
    const ssize_t size = files.Read(descriptor, text.data(), text.size());
    return size < 0 ? "error" : text.substr(0, static_cast<size_t>(size));
  }
  int Written(const char* path, const std::string& text) {
    const int descriptor = files.Open(path, O_CREAT | O_TRUNC);
    EXPECT_EQ(files.Write(descriptor, text.data(), text.size()), ssize_t(text.size()));
    return descriptor;
  }

  Files files;
};

TEST_F(FilesTest, ReadsWhatWasWritten) {
  const int descriptor = Written("/a/folder/level.1", "hello");
  EXPECT_EQ(files.Seek(descriptor, 1, SEEK_SET), 1);
  EXPECT_EQ(Rest(descriptor), "ello");
  EXPECT_EQ(files.Seek(descriptor, -2, SEEK_END), 3);
  EXPECT_EQ(files.Write(descriptor, "XYZ", 3), 3);
  EXPECT_EQ(files.Seek(descriptor, 0, SEEK_SET), 0);
  EXPECT_EQ(Rest(descriptor), "helXYZ");
  EXPECT_EQ(Rest(files.Open("level.1", 0)), "helXYZ");
}

TEST_F(FilesTest, HoldsTheDataOfTheGame) {
  const int descriptor = files.Open("nhdat", O_RDONLY);
  EXPECT_EQ(Rest(descriptor), "data");
  EXPECT_EQ(files.Write(descriptor, "x", 1), -1);
  EXPECT_EQ(errno, EACCES);
  EXPECT_TRUE(files.Exists("record"));
}

TEST_F(FilesTest, ErrorsAreThoseOfTheSystem) {
  EXPECT_EQ(files.Open("nothing", O_RDONLY), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(files.Open("record", O_CREAT | O_EXCL), -1);
  EXPECT_EQ(errno, EEXIST);
  EXPECT_EQ(files.Unlink("nothing"), -1);
  EXPECT_EQ(files.Rename("nothing", "record"), -1);
  const int descriptor = files.Open("record", O_RDONLY);
  EXPECT_EQ(files.Close(descriptor), 0);
  EXPECT_EQ(files.Close(descriptor), -1);
  EXPECT_EQ(errno, EBADF);
  EXPECT_EQ(files.Read(descriptor, nullptr, 0), -1);
  EXPECT_EQ(files.Seek(1, 0, SEEK_SET), -1);
}

TEST_F(FilesTest, ARemovedFileStaysForThoseWhoHaveItOpen) {
  const int descriptor = Written("level.1", "first");
  EXPECT_EQ(files.Unlink("level.1"), 0);
  EXPECT_FALSE(files.Exists("level.1"));
  Written("level.1", "second");
  files.Seek(descriptor, 0, SEEK_SET);
  EXPECT_EQ(Rest(descriptor), "first");
  EXPECT_EQ(Rest(files.Open("level.1", 0)), "second");
}

TEST_F(FilesTest, RenamesOverAnotherFile) {
  Written("new", "1");
  Written("old", "2");
  EXPECT_EQ(files.Rename("new", "old"), 0);
  EXPECT_FALSE(files.Exists("new"));
  EXPECT_EQ(Rest(files.Open("old", 0)), "1");
}

TEST_F(FilesTest, ThereAreFewDescriptors) {
  int count = 0;
  while (files.Open("record", 0) >= 0) ++count;
  EXPECT_EQ(errno, EMFILE);
  EXPECT_EQ(count, 32);
  EXPECT_EQ(files.OpenStream(-1), nullptr);
  EXPECT_EQ(files.OpenBytes(kData), nullptr);
}

TEST_F(FilesTest, StreamsAreToldFromOthers) {
  Files::Stream* const stream = files.OpenBytes(kData);
  ASSERT_NE(stream, nullptr);
  EXPECT_EQ(files.StreamOf(reinterpret_cast<FILE*>(stream)), stream);
  EXPECT_EQ(files.StreamOf(stdout), nullptr);
  EXPECT_EQ(Rest(stream->descriptor), "data");
  EXPECT_TRUE(files.Rest(*stream).empty());
}

}  // namespace
}  // namespace parallel_pool::nethack
