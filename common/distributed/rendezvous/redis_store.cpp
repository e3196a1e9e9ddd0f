// Three commands of Redis: SET with a lifetime, for what a crash leaves, GET and DEL.
#include "distributed/rendezvous/store.h"
#include "td/base/error.h"

#ifdef TD_HAS_HIREDIS
#include <hiredis/hiredis.h>

#include <regex>
#include <vector>

namespace td::distributed {
namespace {

constexpr const char* kLifetime = "3600";  // seconds: much longer than joining takes

struct Address {
  std::string host, name;
  int port = 6379;
};

// HOST[:PORT][/NAME] after redis://
Address parse(const std::string& url) {
  static const std::regex form("redis://([^:/]+)(?::([0-9]{1,5}))?(?:/(.*))?");
  std::smatch parts;
  Address address;
  const bool good = std::regex_match(url, parts, form);
  if (good && parts[2].matched) address.port = std::stoi(parts[2]);
  TD_CHECK(Error, good && address.port > 0 && address.port < 65536, "init_process_group: \"", url,
           "\" names no Redis server; expected \"redis://host:port\"");
  address.host = parts[1];
  address.name = parts[3];
  return address;
}

class RedisStore final : public Store {
 public:
  explicit RedisStore(const std::string& url) : address_(parse(url)) {
    const timeval limit{5, 0};
    context_.reset(redisConnectWithTimeout(address_.host.c_str(), address_.port, limit));
    TD_CHECK(Error, context_ && !context_->err, "init_process_group: no Redis server answers at ",
             where(), ": ", context_ ? context_->errstr : "no memory",
             "; start one with: redis-server --port ", address_.port, " --bind 0.0.0.0 ",
             "--protected-mode no");
    redisSetTimeout(context_.get(), limit);
  }

  void set(const std::string& key, const std::string& value) override {
    command({"SET", full(key), value, "EX", kLifetime});
  }
  std::optional<std::string> get(const std::string& key) override {
    return command({"GET", full(key)});
  }
  void delete_key(const std::string& key) override { command({"DEL", full(key)}); }
  std::string describe() const override { return "the Redis server at " + where(); }

 private:
  std::string where() const { return address_.host + ":" + std::to_string(address_.port); }
  std::string full(const std::string& key) const { return "todevice/" + address_.name + "/" + key; }

  // The answer; nothing when it is nil.
  std::optional<std::string> command(const std::vector<std::string>& words) {
    std::vector<const char*> texts;
    std::vector<std::size_t> lengths;
    for (const std::string& word : words) {
      texts.push_back(word.data());
      lengths.push_back(word.size());
    }
    const std::unique_ptr<redisReply, void (*)(void*)> reply(
        static_cast<redisReply*>(redisCommandArgv(context_.get(), static_cast<int>(words.size()),
                                                  texts.data(), lengths.data())),
        freeReplyObject);
    TD_CHECK(Error, reply, "the Redis server at ", where(),
             " does not answer any more: ", context_->errstr);
    const std::string text = reply->str ? std::string(reply->str, reply->len) : "";
    TD_CHECK(Error, reply->type != REDIS_REPLY_ERROR, "the Redis server at ", where(),
             " refuses: ", text);
    if (reply->type == REDIS_REPLY_NIL) return std::nullopt;
    return text;
  }

  const Address address_;
  std::unique_ptr<redisContext, void (*)(redisContext*)> context_{nullptr, redisFree};
};

}  // namespace

std::unique_ptr<Store> open_redis_store(const std::string& url) {
  return std::make_unique<RedisStore>(url);
}

}  // namespace td::distributed
#else
namespace td::distributed {

std::unique_ptr<Store> open_redis_store(const std::string& url) {
  fail<Error>("this build cannot use ", url,
              ": install libhiredis-dev (Debian), then configure and build again");
}

}  // namespace td::distributed
#endif
