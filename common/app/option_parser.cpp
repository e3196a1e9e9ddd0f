// The parser: CLI11 takes the words apart, and everything that is said about them is written here.
// No other file includes CLI11.
#include "app/option_parser.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <iostream>
#include <system_error>

#include "app/option_help.h"
#include "app/terminal.h"

namespace app {
namespace {

std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

/// What was typed, short enough for a message.
std::string quoted(const std::string& given) {
  constexpr std::size_t kMost = 40;
  return '"' + (given.size() > kMost ? given.substr(0, kMost) + "..." : given) + '"';
}

/// "--nproc-per-node" of "-n,--nproc-per-node".
std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name()
                                     : "--" + std::string(option.get_lnames()[0]);
}

/// "--epochs 3": the default is the example, or `otherwise` where there is none, or the type.
std::string sample(const CLI::Option& option, const std::string& otherwise = "") {
  const std::string standard = option.get_default_str();
  if (!standard.empty()) return name_of(option) + " " + standard;
  return name_of(option) + " " + (otherwise.empty() ? option.get_type_name() : otherwise);
}

/// @param given what was typed. @param expected "an integer of at least 1". @param otherwise a
/// value for the example of an option without a default.
[[noreturn]] void refuse(const CLI::Option& option, const std::string& given,
                         const std::string& expected, const std::string& otherwise = "") {
  throw OptionError(name_of(option) + " is " + quoted(given) + "; expected " + expected +
                    ", for example " + sample(option, otherwise) + ".");
}

using Read = std::function<void(const CLI::Option&, const std::string&)>;

/// The one text that was given for an option. Twice is a slip that would hide the first value; and
/// CLI11 takes the next option for a value.
const std::string& only_text(const CLI::App& app, const CLI::Option& option,
                             const std::vector<std::string>& given) {
  if (given.size() > 1)
    throw OptionError(name_of(option) + " was given " + std::to_string(given.size()) +
                      " times, as " + quoted(given[0]) + " and " + quoted(given[1]) +
                      "; give it once.");
  if (given[0].size() > 1 && given[0][0] == '-' && app.get_option_no_throw(given[0]) != nullptr)
    throw OptionError(name_of(option) + " needs a value before " + given[0] + ", for example " +
                      sample(option) + ".");
  return given[0];
}

/// Adds an option of one value. `standard` tells its default when parse() begins: programs change
/// theirs after they have declared the option.
void add(CLI::App& app, const std::string& names, const std::string& help, const std::string& type,
         const std::function<std::string()>& standard, const Read& read) {
  auto slot = std::make_shared<CLI::Option*>(nullptr);
  *slot = app.add_option(
      names,
      [&app, slot, read](const CLI::results_t& given) {
        read(**slot, only_text(app, **slot, given));
        return true;
      },
      help);
  (*slot)->type_name(type)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  (*slot)->default_function(standard);
}

/// "an integer from 1 to 9", without the bounds that the type itself has.
template <class Integer>
std::string integers(Integer least, Integer most) {
  using Limits = std::numeric_limits<Integer>;
  const bool above = least != Limits::min() || least == 0, below = most != Limits::max();
  if (above && below)
    return "an integer from " + std::to_string(least) + " to " + std::to_string(most);
  if (above) return "an integer of at least " + std::to_string(least);
  return below ? "an integer of at most " + std::to_string(most) : "an integer";
}

template <class Integer>
Read read_integer(Integer& value, Integer least, Integer most) {
  return [&value, least, most](const CLI::Option& option, const std::string& given) {
    Integer parsed = 0;
    const char* end = given.data() + given.size();
    const auto [stop, error] = std::from_chars(given.data(), end, parsed);
    if (stop == end && error == std::errc::result_out_of_range)  // right but for its size
      refuse(option, given,
             given[0] == '-' ? "an integer of at least " + std::to_string(least)
                             : "an integer of at most " + std::to_string(most));
    if (stop != end || error != std::errc() || parsed < least || parsed > most)
      refuse(option, given, integers(least, most), std::to_string(least));
    value = parsed;
  };
}

std::string shortest(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

void split(const std::string& text, std::vector<std::string>& parts) {
  parts.clear();
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// The deepest command that was typed, or the program itself.
const CLI::App& innermost(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? app : innermost(*commands[0]);
}

/// "./course check".
std::string full_name(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent ? full_name(*parent) + " " + app.get_name() : app.get_name();
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string did_you_mean(const std::string& meant) {
  return meant.empty() ? "." : "; did you mean " + meant + "?";
}

/// What is wrong with a word that CLI11 could not place.
std::string misplaced(const CLI::App& app, const std::string& word) {
  if (word[0] != '-')
    return quoted(word) + " was not expected" +
           (app.get_options([](const CLI::Option* o) { return o->get_positional(); }).empty()
                ? ": there are options only, and their names begin with --."
                : ": there is one word too many.");
  const std::string name = word.substr(0, word.find('='));
  return "There is no option " + name + did_you_mean(nearest(name, option_names(app)));
}

/// A flag with a value, such as --mine=no; empty when there is none among the words.
std::string flag_with_value(const CLI::App& app, const std::vector<std::string>& words) {
  for (const auto& word : words) {
    const auto equals = word.find('=');
    if (word[0] != '-' || equals == std::string::npos) continue;
    const auto* option = app.get_option_no_throw(word.substr(0, equals));
    if (option && option->get_expected_max() == 0)
      return name_of(*option) + " takes no value; write " + name_of(*option) + ", or leave it out.";
  }
  return "";
}

/// Defaults as they are now, of this program and its commands.
void capture_defaults(CLI::App& app) {
  for (auto* option : app.get_options()) option->capture_default_str();
  for (auto* command : app.get_subcommands([](CLI::App*) { return true; }))
    capture_defaults(*command);
}

HelpText help_text(const CLI::App& app) {
  HelpText help{full_name(app), app.get_description(), {}, app.get_footer()};
  HelpText::Rows words, options, commands;
  for (const auto* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    const bool word = option->get_positional();
    const std::string names = option->get_name(word, !word);
    if (word) help.usage += " [" + names + "]";
    const std::string type = option->get_expected_max() == 0 ? "" : option->get_type_name();
    const std::string standard = option->get_default_str();
    (word ? words : options)
        .emplace_back(
            names + (type.empty() || word ? "" : " " + type),
            option->get_description() + (standard.empty() ? "" : " (default: " + standard + ")"));
  }
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    commands.emplace_back(command->get_name(), command->get_description());
  if (!options.empty()) help.usage += " [options]";
  if (!commands.empty()) help.usage += " COMMAND";
  help.sections = {{"Words", words}, {"Options", options}, {"Commands", commands}};
  return help;
}

}  // namespace

OptionParser::OptionParser(const std::string& program, const std::string& summary)
    : owner_(std::make_shared<CLI::App>(summary, program)), app_(owner_.get()) {
  app_->set_help_flag("-h,--help", "this text");
}

OptionParser::OptionParser(CLI::App* command) : app_(command) {}

OptionParser& OptionParser::text(const std::string& names, std::string& value,
                                 const std::string& help, const std::string& type) {
  add(
      *app_, names, help, type, [&value] { return value; },
      [&value](const CLI::Option&, const std::string& given) { value = given; });
  return *this;
}

OptionParser& OptionParser::texts(const std::string& names, std::vector<std::string>& value,
                                  const std::string& help, const std::string& type) {
  add(
      *app_, names, help, type, [] { return std::string(); },
      [&value](const CLI::Option&, const std::string& given) { split(given, value); });
  return *this;
}

OptionParser& OptionParser::integer(const std::string& names, std::int64_t& value,
                                    const std::string& help, std::int64_t least,
                                    std::int64_t most) {
  // A value that could not be typed means that the option is left out; that is no default to show.
  const auto standard = [&value, least, most] {
    return value < least || value > most ? std::string() : std::to_string(value);
  };
  add(*app_, names, help, "N", standard, read_integer(value, least, most));
  return *this;
}

OptionParser& OptionParser::integer(const std::string& names, std::uint64_t& value,
                                    const std::string& help) {
  add(
      *app_, names, help, "N", [&value] { return std::to_string(value); },
      read_integer(value, std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()));
  return *this;
}

OptionParser& OptionParser::number(const std::string& names, double& value,
                                   const std::string& help) {
  add(
      *app_, names, help, "X", [&value] { return shortest(value); },
      [&value](const CLI::Option& option, const std::string& given) {
        double parsed = 0;
        const char* end = given.data() + given.size();
        const auto [stop, error] = std::from_chars(given.data(), end, parsed);
        if (stop != end || error != std::errc() || !std::isfinite(parsed))
          refuse(option, given, "a finite number");
        value = parsed;
      });
  return *this;
}

OptionParser& OptionParser::choice(const std::string& names, std::string& value,
                                   const std::vector<std::string>& allowed,
                                   const std::string& help) {
  add(
      *app_, names, help + "; one of " + listed(allowed), "WORD", [&value] { return value; },
      [&value, allowed](const CLI::Option& option, const std::string& given) {
        if (std::find(allowed.begin(), allowed.end(), given) == allowed.end()) {
          const std::string meant = nearest(given, allowed);
          refuse(option, given,
                 "one of " + listed(allowed) +
                     (meant.empty() ? "" : " (did you mean " + meant + "?)"));
        }
        value = given;
      });
  return *this;
}

OptionParser& OptionParser::flag(const std::string& names, bool& value, const std::string& help) {
  app_->add_flag(names, value, help)->disable_flag_override();
  return *this;
}

OptionParser& OptionParser::word(const std::string& name, std::string& value,
                                 const std::string& help) {
  app_->add_option(name, value, help);
  return *this;
}

OptionParser& OptionParser::rest(std::vector<std::string>& words, bool help_too) {
  if (help_too) app_->set_help_flag();
  app_->prefix_command();
  app_->parse_complete_callback([app = app_, &words] { words = app->remaining(); });
  return *this;
}

OptionParser& OptionParser::remove(const std::string& name) {
  app_->remove_option(app_->get_option(name));
  return *this;
}

OptionParser& OptionParser::hide(const std::string& name) {
  app_->get_option(name)->group("");
  return *this;
}

OptionParser& OptionParser::example(const std::string& line) {
  app_->footer(line);
  return *this;
}

OptionParser OptionParser::command(const std::string& name, const std::string& help) {
  app_->require_subcommand(1);
  return OptionParser(app_->add_subcommand(name, help));
}

std::string OptionParser::chosen() const {
  const auto commands = app_->get_subcommands();
  return commands.empty() ? "" : commands[0]->get_name();
}

OptionParser& OptionParser::also_known(const std::vector<std::string>& commands) {
  also_known_ = commands;
  return *this;
}

std::string OptionParser::help_of(const std::string& command, std::size_t width) const {
  return laid_out(help_text(*app_->get_subcommand(command)), width);
}

bool OptionParser::parse(int argc, char** argv) {
  capture_defaults(*app_);
  const std::vector<std::string> words(argv + 1, argv + argc);
  std::string wrong;
  try {
    app_->parse(argc, argv);
    return true;
  } catch (const CLI::CallForHelp&) {
    std::cout << laid_out(help_text(innermost(*app_)), terminal_of(STDOUT_FILENO).width);
    return false;
  } catch (const OptionError& error) {
    wrong = error.what();
  } catch (const CLI::RequiredError&) {
    const auto unknown = app_->remaining();
    std::vector<std::string> commands = also_known_;
    for (const auto* command : app_->get_subcommands([](CLI::App*) { return true; }))
      commands.push_back(command->get_name());
    if (unknown.empty())
      wrong = "Which command?";
    else if (unknown[0][0] == '-')
      wrong = misplaced(*app_, unknown[0]);
    else
      wrong =
          "There is no command " + quoted(unknown[0]) + did_you_mean(nearest(unknown[0], commands));
    throw OptionError(wrong + "\n" + full_name(*app_) + " --help shows the commands.");
  } catch (const CLI::ExtrasError&) {
    wrong = misplaced(innermost(*app_), app_->remaining(true)[0]);
  } catch (const CLI::ArgumentMismatch& error) {
    // CLI11 gives an option whatever follows it, so only the last word can lack its value.
    const auto& command = innermost(*app_);
    wrong = flag_with_value(command, words);
    const std::string last = words.empty() ? "" : words.back().substr(0, words.back().find('='));
    const auto* option = wrong.empty() ? command.get_option_no_throw(last) : nullptr;
    if (option) wrong = name_of(*option) + " needs a value, for example " + sample(*option) + ".";
    if (wrong.empty()) wrong = error.what();
  } catch (const CLI::ParseError& error) {
    wrong = error.what();
  }
  throw OptionError(wrong + "\n" + full_name(innermost(*app_)) + " --help shows the options.");
}

}  // namespace app
