// SPDX-License-Identifier: Apache-2.0
// Budgets that processes share, with real processes: exact accounting, death at any instant, the race to make
// one, files that cannot be used; and `relent budget`.
#include "tool_process.hpp"

#include <cli/budget_file.hpp>
#include <cli/subcommands.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using relent::fault_kind;
using relent::token_budget;
using relent::cli::budget_file;
using relent::cli::budget_file_error;
using testing::HasSubstr;

constexpr relent::time_point any_time{};

/// A pipe by which a child says that it got somewhere, or waits for all others.
struct signal_pipe {
  std::array<int, 2> ends{};
  signal_pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
  }
  signal_pipe(const signal_pipe&) = delete;
  signal_pipe& operator=(const signal_pipe&) = delete;
  ~signal_pipe() {
    close(0);
    close(1);
  }
  void close(std::size_t end) {
    if (ends[end] >= 0) ::close(std::exchange(ends[end], -1));
  }
  void tell() const {
    if (::write(ends[1], "x", 1) != 1) std::abort();
  }
  /// Returns with a byte, or when nobody can write any more.
  void wait() const {
    char byte = 0;
    while (::read(ends[0], &byte, 1) < 0 && errno == EINTR) {
    }
  }
};

/// A child that runs `work`, whose result is its exit code; 99 if it throws.
pid_t child(const std::function<int()>& work) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  try {
    ::_exit(work());
  } catch (const std::exception& error) {
    const std::string line = std::string(error.what()) + "\n";
    if (::write(STDERR_FILENO, line.data(), line.size()) < 0) ::_exit(98);
    ::_exit(99);
  }
}

int exit_code(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Runs `work` in so many processes that begin together; the sum of their results.
int in_processes(int count, const std::function<int()>& work) {
  signal_pipe start;
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i)
    children.push_back(child([&] {
      start.close(1);
      start.wait();
      return work();
    }));
  start.close(1);
  int sum = 0;
  for (const pid_t pid : children) sum += exit_code(pid);
  return sum;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

struct shared_budget : testing::Test {
  relent::test::scratch_folder scratch;
  shared_budget() { ::setenv("XDG_STATE_HOME", scratch.file("state").c_str(), 1); }

  std::string folder() const { return scratch.file("state/relent/budgets"); }
  std::string path(const std::string& name) const { return folder() + "/" + name; }
  int files() const {
    const std::filesystem::directory_iterator all(folder());
    return static_cast<int>(std::distance(begin(all), end(all)));
  }

  /// What is said when the budget x cannot be opened.
  static std::string complaint(const std::string& name = "x") {
    try {
      budget_file::open(name, {});
      return "";
    } catch (const budget_file_error& error) {
      return error.what();
    }
  }
};

TEST_F(shared_budget, is_made_full_by_the_first_to_come_and_found_by_the_next) {
  budget_file first = budget_file::open("deploy", {.capacity = 5, .success_credit = 0.5});
  EXPECT_EQ(first.path(), path("deploy"));
  EXPECT_DOUBLE_EQ(first.budget().balance(any_time), 5);
  ASSERT_TRUE(first.budget().try_take(fault_kind::unknown, any_time));
  budget_file second = budget_file::open("deploy", {.capacity = 5, .success_credit = 0.5});
  EXPECT_DOUBLE_EQ(second.budget().balance(any_time), 4);
  second.budget().succeeded(any_time);
  EXPECT_DOUBLE_EQ(first.budget().balance(any_time), 4.5);
  EXPECT_EQ(second.note_on({.capacity = 5, .success_credit = 0.5}), "");
}

TEST_F(shared_budget, keeps_every_setting_of_a_token_budget) {
  const token_budget odd{.capacity = 0.123,
                         .success_credit = 0,
                         .retry_cost = 7,
                         .timeout_cost = 8,
                         .rate_limited_cost = 9,
                         .refund_last_cost = true};
  budget_file::open("odd", odd);
  EXPECT_EQ(budget_file::look("odd")->settings(), odd);
  budget_file::open("plain", {});
  EXPECT_EQ(budget_file::look("plain")->settings(), token_budget{});
}

TEST_F(shared_budget, is_for_its_user_alone) {
  budget_file::open("x", {});
  EXPECT_EQ(std::filesystem::status(path("x")).permissions(), std::filesystem::perms{0600});
  EXPECT_EQ(std::filesystem::status(folder()).permissions(), std::filesystem::perms{0700});
}

TEST_F(shared_budget, grants_failing_processes_its_capacity_together_and_never_more) {
  constexpr int processes = 8;
  constexpr int tries = 30;
  const int granted = in_processes(processes, [] {
    budget_file file = budget_file::open("x", {.capacity = 100, .success_credit = 0});
    int mine = 0;
    for (int i = 0; i < tries; ++i) mine += file.budget().try_take(fault_kind::unknown, any_time) ? 1 : 0;
    return mine;
  });
  EXPECT_EQ(granted, 100);
  const auto file = budget_file::look("x");
  EXPECT_DOUBLE_EQ(file->budget().balance(any_time), 0);
  EXPECT_EQ(file->budget().refusals(), processes * tries - 100U);
}

TEST_F(shared_budget, is_given_back_to_by_every_success_of_any_process) {
  const token_budget settings{.capacity = 1000, .timeout_cost = 500};
  ASSERT_TRUE(budget_file::open("x", settings).budget().try_take(fault_kind::timeout, any_time));
  in_processes(8, [&] {
    budget_file file = budget_file::open("x", settings);
    for (int i = 0; i < 100; ++i) file.budget().succeeded(any_time);
    return 0;
  });
  EXPECT_DOUBLE_EQ(budget_file::look("x")->budget().balance(any_time), 580);
}

TEST_F(shared_budget, made_by_many_at_once_is_one_file_that_all_of_them_use) {
  for (int round = 0; round < 10; ++round) {
    const std::string name = "x" + std::to_string(round);
    const int granted = in_processes(12, [&] {
      return budget_file::open(name, {}).budget().try_take(fault_kind::unknown, any_time) ? 1 : 0;
    });
    EXPECT_EQ(granted, 10);
    EXPECT_DOUBLE_EQ(budget_file::look(name)->budget().balance(any_time), 0);
    EXPECT_EQ(files(), round + 1) << "something was left behind";
  }
}

/// Kills its victims at random instants, the same ones from run to run as far as the machine goes along.
class killer {
 public:
  /// Starts `work`; at every second one waits until it has told of itself, else kills it at once. In between
  /// passes a random moment.
  void kill_one(const std::function<int(const signal_pipe&)>& work) {
    signal_pipe at_work;
    const pid_t victim = child([&] { return work(at_work); });
    at_work.close(1);
    if (random_() % 2 == 0) at_work.wait();
    for (volatile auto moment = random_() % 200'000; moment > 0;) moment = moment - 1;
    ::kill(victim, SIGKILL);
    killed_ += exit_code(victim) == 128 + SIGKILL ? 1 : 0;
  }
  int killed() const { return killed_; }

 private:
  std::mt19937 random_{20'26};
  int killed_ = 0;
};

TEST_F(shared_budget, survives_processes_killed_at_any_instant_and_loses_at_most_the_token_in_their_hand) {
  const token_budget settings{.capacity = 1000, .success_credit = 0};
  budget_file::open("x", settings);
  killer kills;
  for (int i = 0; i < 300; ++i)
    kills.kill_one([&](const signal_pipe& at_work) {
      budget_file file = budget_file::open("x", settings);
      for (bool first = true;; first = false) {
        if (file.budget().try_take(fault_kind::unknown, any_time))
          file.budget().give_back(fault_kind::unknown, any_time);
        if (first) at_work.tell();
      }
      return 0;
    });
  ASSERT_EQ(kills.killed(), 300);
  const auto file = budget_file::look("x");  // throws if it were damaged
  const double left = file.value().budget().balance(any_time);
  EXPECT_LE(left, 1000);
  EXPECT_GE(left, 1000 - kills.killed());
  EXPECT_DOUBLE_EQ(left, static_cast<int>(left)) << "a part of a token is gone";
  EXPECT_EQ(in_processes(4,
                         [&] {
                           budget_file mine = budget_file::open("x", settings);
                           int granted = 0;
                           while (granted < 50 && mine.budget().try_take(fault_kind::unknown, any_time))
                             ++granted;
                           return granted;
                         }),
            200)
      << "it goes on as before";
}

TEST_F(shared_budget, whose_maker_is_killed_is_whole_or_not_there) {
  killer kills;
  for (int i = 0; i < 150; ++i)
    kills.kill_one([&](const signal_pipe& at_work) {
      for (int n = 0;; ++n) {
        budget_file::open("x" + std::to_string(i) + "." + std::to_string(n % 40), {});
        if (n == 0) at_work.tell();
      }
      return 0;
    });
  EXPECT_EQ(kills.killed(), 150);
  budget_file::open("last", {});  // clears away what the killed ones left
  for (const auto& each : std::filesystem::directory_iterator(folder())) {
    const std::string name = each.path().filename().string();
    ASSERT_FALSE(name.starts_with('.')) << name;
    EXPECT_TRUE(budget_file::look(name).has_value()) << name;
  }
}

TEST_F(shared_budget, keeps_its_own_settings_and_says_so) {
  budget_file::open("x", {.capacity = 3, .success_credit = 0.5});
  const budget_file file = budget_file::open("x", {.capacity = 20});
  EXPECT_DOUBLE_EQ(file.budget().balance(any_time), 3);
  EXPECT_EQ(
      file.note_on({.capacity = 20}),
      "the budget x keeps the capacity 3 and success credit 0.5 that it was made with, not capacity 20 and "
      "success credit 0.1; to change it: relent budget x --capacity 20 --success-credit 0.1");
}

TEST_F(shared_budget, under_other_settings_keeps_the_filled_fraction) {
  budget_file old = budget_file::open("x", {.capacity = 10});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(old.budget().try_take(fault_kind::unknown, any_time));
  const budget_file changed = old.with({.capacity = 100, .success_credit = 1});
  EXPECT_DOUBLE_EQ(changed.budget().balance(any_time), 70);
  EXPECT_DOUBLE_EQ(old.budget().balance(any_time), 7) << "who has the old one goes on with it";
  EXPECT_DOUBLE_EQ(budget_file::open("x", {}).budget().balance(any_time), 70);
  EXPECT_EQ(files(), 1);
}

TEST_F(shared_budget, has_the_bytes_of_its_layout_version) {
  // If this fails, relent::budget has changed within: raise the version of the layout in budget_file.cpp.
  ASSERT_EQ(sizeof(relent::budget), 576U);
  budget_file file = budget_file::open("x", {.capacity = 10, .success_credit = 0.25, .retry_cost = 2});
  while (file.budget().try_take(fault_kind::unknown, any_time)) {
  }
  file.budget().succeeded(any_time);
  const std::string bytes = read_file(path("x"));
  ASSERT_EQ(bytes.size(), 128U + 576U);
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  };
  EXPECT_EQ(number(8), 1U) << "version";
  EXPECT_EQ(number(128 + 64), 250U) << "level";
  EXPECT_EQ(number(128 + 64 + 4), 10'000U) << "capacity";
  EXPECT_EQ(number(128 + 128), 250U) << "success credit";
  EXPECT_EQ(number(128 + 128 + 4), 2000U) << "retry cost";
  EXPECT_EQ(number(128 + 192), 1U) << "refusals";
}

/// A file that is no good budget, made from a good one.
struct bad_file {
  const char* id;
  std::function<void(const std::string& path)> spoil;
  const char* says;
  friend void PrintTo(const bad_file& row, std::ostream* out) { *out << row.id; }
};

std::function<void(const std::string&)> overwritten(std::size_t at, const std::string& bytes) {
  return [=](const std::string& path) {
    std::string content = read_file(path);
    write_file(path, content.replace(at, bytes.size(), bytes));
  };
}

std::string bytes_of(double number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

struct useless_budget_file : shared_budget, testing::WithParamInterface<bad_file> {};

TEST_P(useless_budget_file, is_refused_with_what_to_do_and_mended_by_a_reset) {
  budget_file::open("x", {});
  GetParam().spoil(path("x"));
  const std::string said = complaint();
  EXPECT_THAT(said, HasSubstr(path("x") + ": " + GetParam().says));
  EXPECT_THAT(said, HasSubstr("remove it, or start anew with: relent budget x --reset"));
  EXPECT_EQ(said.find('\n'), std::string::npos);
  if (std::filesystem::is_directory(path("x"))) return;  // that one must go by hand
  EXPECT_DOUBLE_EQ(budget_file::reset("x", {}).budget().balance(any_time), 10);
  EXPECT_EQ(complaint(), "");
}

INSTANTIATE_TEST_SUITE_P(
    table, useless_budget_file,
    testing::Values(
        bad_file{"empty", [](const auto& path) { write_file(path, ""); }, "is cut short"},
        bad_file{"cut_short", [](const auto& path) { write_file(path, read_file(path).substr(0, 703)); },
                 "is cut short"},
        bad_file{"too_long", [](const auto& path) { write_file(path, read_file(path) + "x"); },
                 "is no budget of this version of relent: its size is wrong"},
        bad_file{"something_else", overwritten(0, "GIF89a"), "is no budget of relent"},
        bad_file{"another_version", overwritten(8, "\x07"), "is the budget of another version of relent"},
        bad_file{"another_size", overwritten(12, "\x07"), "is the budget of another version of relent"},
        bad_file{"level_above_capacity", overwritten(192, "\xff\xff\xff\xff"), "is damaged"},
        bad_file{"another_capacity", overwritten(197, "\x7f"), "is damaged"},
        bad_file{"another_cost", overwritten(260, "\x7f"), "is damaged"},
        bad_file{"capacity_no_number", overwritten(16, bytes_of(std::numeric_limits<double>::quiet_NaN())),
                 "is damaged"},
        bad_file{"capacity_of_nothing", overwritten(16, bytes_of(0)), "is damaged"},
        bad_file{"another_kind", overwritten(128, "\x02"), "is damaged"},
        bad_file{"symbolic_link",
                 [](const auto& path) {
                   std::filesystem::rename(path, path + "2");
                   std::filesystem::create_symlink(path + "2", path);
                 },
                 "is a symbolic link"},
        bad_file{"named_pipe",
                 [](const auto& path) {
                   std::filesystem::remove(path);
                   ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
                 },
                 "is not a regular file"},
        bad_file{"folder",
                 [](const auto& path) {
                   std::filesystem::remove(path);
                   std::filesystem::create_directory(path);
                 },
                 "is a folder"},
        bad_file{"writable_by_others", [](const auto& path) { ::chmod(path.c_str(), 0606); },
                 "can be written by other users"}),
    [](const auto& info) { return std::string(info.param.id); });

TEST_F(shared_budget, needs_a_plain_name) {
  for (const std::string& name :
       {std::string(), std::string(".hidden"), std::string("a/b"), std::string(".."), std::string("a b"),
        std::string("\xc3\xa4"), std::string(101, 'x')})
    EXPECT_EQ(complaint(name),
              "'" + name +
                  "' is no name for a budget: write 1 to 100 letters, digits, or . _ - with no "
                  "dot first");
  for (const std::string& name : {std::string("a"), std::string("A.b_c-9"), std::string(100, 'x')})
    EXPECT_EQ(complaint(name), "");
}

TEST_F(shared_budget, needs_a_place) {
  ::unsetenv("XDG_STATE_HOME");
  const std::string home = std::getenv("HOME") != nullptr ? std::getenv("HOME") : "";
  ::unsetenv("HOME");
  EXPECT_EQ(complaint(),
            "budgets have no place: neither XDG_STATE_HOME nor HOME is set to a path that begins with /");
  ::setenv("XDG_STATE_HOME", "relative", 1);
  EXPECT_THAT(complaint(), HasSubstr("budgets have no place"));
  ::setenv("HOME", scratch.file("home").c_str(), 1);
  EXPECT_EQ(budget_file::open("x", {}).path(), scratch.file("home/.local/state/relent/budgets/x"));
  write_file(scratch.file("file"), "");
  ::setenv("XDG_STATE_HOME", scratch.file("file").c_str(), 1);
  EXPECT_THAT(complaint(),
              HasSubstr(scratch.file("file") + "/relent/budgets: cannot be used: Not a directory"));
  ::setenv("HOME", home.c_str(), 1);
}

/// How the subcommand ended and what it wrote.
struct answered {
  int code;
  std::string out;
  std::string err;
};

struct budget_subcommand : shared_budget {
  answered ask(std::vector<std::string> words) const {
    const pid_t pid = child([&] {
      constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
      ::dup2(::open(scratch.file("out").c_str(), flags, 0600), STDOUT_FILENO);
      ::dup2(::open(scratch.file("err").c_str(), flags, 0600), STDERR_FILENO);
      std::vector<char*> arguments;
      for (std::string& each : words) arguments.push_back(each.data());
      return relent::cli::budget(arguments).exit_code;
    });
    const int code = exit_code(pid);
    return {code, read_file(scratch.file("out")), read_file(scratch.file("err"))};
  }
};

TEST_F(budget_subcommand, shows_what_is_left) {
  budget_file file = budget_file::open("deploy", {});
  for (int i = 0; i < 11; ++i) file.budget().try_take(fault_kind::unknown, any_time);
  for (int i = 0; i < 25; ++i) file.budget().succeeded(any_time);
  const answered shown = ask({"deploy"});
  EXPECT_EQ(shown.code, 0);
  EXPECT_THAT(shown.out,
              testing::StartsWith("deploy: 2.5 of 10 tokens left: 2 retries would be granted now\n"));
  EXPECT_THAT(shown.out, HasSubstr("  retries refused       1\n"));
  EXPECT_THAT(shown.out, HasSubstr(" ago\n"));
  EXPECT_THAT(shown.out, HasSubstr("  file                  " + path("deploy") + "\n"));
  const answered json = ask({"--json", "deploy"});
  EXPECT_THAT(json.out,
              testing::StartsWith(R"({"name":"deploy","level":2.5,"capacity":10,"success_credit":0.1,)"
                                  R"("retry_cost":1,"retries_now":2,"refusals":1,"last_used":"20)"));
}

TEST_F(budget_subcommand, lists_all_of_them_and_tells_of_the_useless_ones) {
  EXPECT_EQ(ask({}).out, "no budgets yet; relent run --budget NAME makes one\n");
  EXPECT_EQ(ask({"--json"}).out, "[]\n");
  budget_file::open("b", {.capacity = 5});
  budget_file::open("a", {});
  const answered all = ask({});
  EXPECT_EQ(all.code, 0);
  EXPECT_LT(all.out.find("\na "), all.out.find("\nb "));
  write_file(path("c"), "");
  const answered some = ask({});
  EXPECT_EQ(some.code, 125);
  EXPECT_THAT(some.out, HasSubstr("\nb "));
  EXPECT_THAT(some.err, HasSubstr(path("c") + ": is cut short"));
}

TEST_F(budget_subcommand, makes_changes_and_resets_one) {
  EXPECT_THAT(ask({"x", "--capacity", "4"}).out, HasSubstr("x: 4 of 4 tokens left"));
  ASSERT_TRUE(budget_file::open("x", {}).budget().try_take(fault_kind::unknown, any_time));
  EXPECT_THAT(ask({"x", "--capacity=40", "--success-credit=1"}).out, HasSubstr("x: 30 of 40 tokens left"));
  EXPECT_THAT(ask({"x", "--reset"}).out, HasSubstr("x: 40 of 40 tokens left"));
  write_file(path("x"), "?");
  EXPECT_EQ(ask({"x"}).code, 125);
  EXPECT_THAT(ask({"x", "--reset"}).out, HasSubstr("x: 10 of 10 tokens left"));
}

TEST_F(budget_subcommand, refuses_what_it_cannot_do) {
  EXPECT_EQ(ask({"--reset"}).err,
            "relent budget: which budget? write its name, as in relent budget deploy --reset\n");
  EXPECT_EQ(ask({"x", "--capacity", "0"}).err,
            "relent budget: --capacity: '0' must be from 0.001 to 1000000\n");
  EXPECT_EQ(ask({"x", "--capacity", "ten"}).err,
            "relent budget: --capacity: 'ten' is not a number: write 10 or 0.5\n");
  EXPECT_EQ(ask({"x", "--rest"}).err, "relent budget: --rest: unknown flag; did you mean --reset?\n");
  EXPECT_EQ(ask({"x", "y"}).code, 125);
  const answered none = ask({"x"});
  EXPECT_EQ(none.code, 125);
  EXPECT_THAT(none.err, HasSubstr("there is no budget 'x'; relent run --budget x makes it"));
  EXPECT_FALSE(std::filesystem::exists(folder())) << "looking makes nothing";
  EXPECT_THAT(ask({"--help"}).out, HasSubstr("--success-credit"));
}

}  // namespace
