// The parser. CLI11 splits the command line; all messages about it are written here. No other file
// of the programs and the tool includes CLI11.
#include "app/option_parser.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>

#include "app/option_help.h"
#include "app/option_values.h"
#include "app/terminal.h"

namespace app {
namespace {

/// "--nproc-per-node" of "-n,--nproc-per-node".
std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name()
                                     : "--" + std::string(option.get_lnames()[0]);
}

/// "--epochs 3": the example value is the default; without a default it is `otherwise` or the type.
std::string sample(const CLI::Option& option, const std::string& otherwise = "") {
  const std::string standard = option.get_default_str();
  if (!standard.empty()) return name_of(option) + " " + standard;
  return name_of(option) + " " + (otherwise.empty() ? option.get_type_name() : otherwise);
}

/// Takes an option's text as its value, or returns what is wrong with it.
using Read = std::function<BadValue(const std::string&)>;

/// The one text that was given for an option. A second text would hide the first one. CLI11 also
/// takes the next option for a value.
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

/// Adds an option of one value. `standard` returns its default when parse() begins, because
/// programs change it after they have declared the option.
void add(CLI::App& app, const std::string& names, const std::string& help, const std::string& type,
         const std::function<std::string()>& standard, const Read& read) {
  auto slot = std::make_shared<CLI::Option*>(nullptr);
  *slot = app.add_option(
      names,
      [&app, slot, read](const CLI::results_t& given) {
        const std::string& text = only_text(app, **slot, given);
        const BadValue bad = read(text);
        if (bad.expected.empty()) return true;
        throw OptionError(name_of(**slot) + " is " + quoted(text) + "; expected " + bad.expected +
                          ", for example " + sample(**slot, bad.example) + ".");
      },
      help);
  (*slot)->type_name(type)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  (*slot)->default_function(standard);
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

/// The error message for a word that CLI11 could not assign.
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

/// The error message for an option without its value, or for a flag with one.
std::string mismatched(const CLI::App& app, const std::vector<std::string>& words,
                       const std::string& otherwise) {
  if (const std::string flag = flag_with_value(app, words); !flag.empty()) return flag;
  // CLI11 gives an option whatever follows it, so only the last word can lack its value.
  const std::string last = words.empty() ? "" : words.back().substr(0, words.back().find('='));
  const auto* option = app.get_option_no_throw(last);
  if (!option) return otherwise;
  return name_of(*option) + " needs a value, for example " + sample(*option) + ".";
}

/// Why there is no command: none was typed, an option stands in its place, or there is no such
/// command.
std::string no_command(const CLI::App& app, std::vector<std::string> known) {
  const auto words = app.remaining();
  if (words.empty()) return "Which command?";
  if (words[0][0] == '-') return misplaced(app, words[0]);
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(command->get_name());
  return "There is no command " + quoted(words[0]) + did_you_mean(nearest(words[0], known));
}

/// Stores the present defaults of this program and its commands.
void capture_defaults(CLI::App& app) {
  for (auto* option : app.get_options()) option->capture_default_str();
  for (auto* command : app.get_subcommands([](CLI::App*) { return true; }))
    capture_defaults(*command);
}

/// @param usages what to type, for the programs and commands that have their own line.
HelpText help_text(const CLI::App& app, const std::map<const CLI::App*, std::string>& usages) {
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
  if (const auto own = usages.find(&app); own != usages.end())
    help.usage = full_name(app) + " " + own->second;
  help.sections = {{"Arguments", words}, {"Options", options}, {"Commands", commands}};
  return help;
}

}  // namespace

OptionParser::OptionParser(const std::string& program, const std::string& summary)
    : owner_(std::make_shared<CLI::App>(summary, program)),
      app_(owner_.get()),
      usages_(std::make_shared<std::map<const CLI::App*, std::string>>()) {
  app_->set_help_flag("-h,--help", "this text");
}

OptionParser::OptionParser(CLI::App* command, const OptionParser& parent)
    : app_(command), usages_(parent.usages_) {}

OptionParser& OptionParser::option(const std::string& names, std::string& value,
                                   const std::string& help, const std::string& type) {
  const auto standard = [&value] { return value; };
  add(*app_, names, help, type, standard, [&value](const std::string& given) {
    value = given;
    return BadValue();
  });
  return *this;
}

OptionParser& OptionParser::texts(const std::string& names, std::vector<std::string>& value,
                                  const std::string& help, const std::string& type,
                                  const std::vector<std::string>& allowed) {
  const auto standard = [] { return std::string(); };
  add(*app_, names, help, type, standard, [&value, allowed](const std::string& given) {
    BadValue bad;
    value.clear();
    for (const std::string& part : split(given)) {
      value.emplace_back(part);
      if (!allowed.empty() && bad.expected.empty()) bad = read_value(part, value.back(), allowed);
    }
    if (!bad.expected.empty()) bad.example = allowed.front();
    return bad;
  });
  return *this;
}

OptionParser& OptionParser::option(const std::string& names, std::int64_t& value,
                                   const std::string& help, std::int64_t least, std::int64_t most) {
  // A value out of bounds means that the option was left out, so it is not shown as a default.
  const auto standard = [&value, least, most] {
    return value < least || value > most ? std::string() : std::to_string(value);
  };
  add(*app_, names, help, "N", standard, [&value, least, most](const std::string& given) {
    return read_value(given, value, least, most);
  });
  return *this;
}

OptionParser& OptionParser::option(const std::string& names, std::uint64_t& value,
                                   const std::string& help) {
  const auto standard = [&value] { return std::to_string(value); };
  add(*app_, names, help, "N", standard,
      [&value](const std::string& given) { return read_value(given, value); });
  return *this;
}

OptionParser& OptionParser::option(const std::string& names, double& value, const std::string& help,
                                   double least, double most) {
  const auto standard = [&value, least, most] {
    return value < least || value > most ? std::string() : shortest(value);
  };
  add(*app_, names, help, "X", standard, [&value, least, most](const std::string& given) {
    return read_value(given, value, least, most);
  });
  return *this;
}

OptionParser& OptionParser::choice(const std::string& names, std::string& value,
                                   const std::vector<std::string>& allowed,
                                   const std::string& help) {
  const auto standard = [&value] { return value; };
  add(*app_, names, help + "; one of " + listed(allowed), "WORD", standard,
      [&value, allowed](const std::string& given) { return read_value(given, value, allowed); });
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

OptionParser& OptionParser::words(const std::string& name, std::vector<std::string>& value,
                                  const std::string& help) {
  app_->add_option(name, value, help)->default_function([] { return std::string(); });
  return *this;
}

OptionParser& OptionParser::rest(std::vector<std::string>& words, bool help_too) {
  if (help_too) app_->set_help_flag();
  app_->prefix_command();
  app_->parse_complete_callback([app = app_, &words] { words = app->remaining(); });
  return *this;
}

OptionParser& OptionParser::usage(const std::string& words) {
  (*usages_)[app_] = words;
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
  return OptionParser(app_->add_subcommand(name, help), *this);
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
  return laid_out(help_text(*app_->get_subcommand(command), *usages_), width);
}

bool OptionParser::parse(int argc, char** argv) {
  capture_defaults(*app_);
  std::string wrong;
  try {
    app_->parse(argc, argv);
    return true;
  } catch (const CLI::CallForHelp&) {
    std::cout << laid_out(help_text(innermost(*app_), *usages_), terminal_of(STDOUT_FILENO).width);
    return false;
  } catch (const CLI::RequiredError&) {
    throw OptionError(no_command(*app_, also_known_) + "\n" + full_name(*app_) +
                      " --help shows the commands.");
  } catch (const OptionError& error) {
    wrong = error.what();
  } catch (const CLI::ExtrasError&) {
    wrong = misplaced(innermost(*app_), app_->remaining(true)[0]);
  } catch (const CLI::ArgumentMismatch& error) {
    wrong = mismatched(innermost(*app_), {argv + 1, argv + argc}, error.what());
  } catch (const CLI::ParseError& error) {
    wrong = error.what();
  }
  throw OptionError(wrong + "\n" + full_name(innermost(*app_)) + " --help shows the options.");
}

}  // namespace app
