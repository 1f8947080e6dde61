package crseval.client;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * Address of a service, and the way to call it. {@code with...} returns a copy with one setting changed.
 *
 * @param url the service; null: {@code CRS_EVAL_URL}, else a service on this machine
 * @param key its key; null: {@code CRS_EVAL_API_KEY}, else none
 * @param retries rules of retries
 * @param timeout longest duration of one attempt; null: no limit
 * @param hook is told of every attempt
 */
public record Options(
    String url, String key, Retries retries, Duration timeout, Consumer<Attempt> hook) {
  /** Settings of the environment, and the usual retries. */
  public static final Options DEFAULT =
      new Options(null, null, Retries.DEFAULT, null, attempt -> {});

  /** The same for another service. */
  public Options withUrl(String other) {
    return new Options(other, key, retries, timeout, hook);
  }

  /** The same with another key. */
  public Options withKey(String other) {
    return new Options(url, other, retries, timeout, hook);
  }

  /** The same with other retries. */
  public Options withRetries(Retries other) {
    return new Options(url, key, other, timeout, hook);
  }

  /** The same with another time limit. */
  public Options withTimeout(Duration other) {
    return new Options(url, key, retries, other, hook);
  }

  /** The same with another hook. */
  public Options withHook(Consumer<Attempt> other) {
    return new Options(url, key, retries, timeout, other);
  }

  String address() {
    return first(url, System.getenv("CRS_EVAL_URL"), "http://127.0.0.1:8000");
  }

  String secret() {
    return first(key, System.getenv("CRS_EVAL_API_KEY"), null);
  }

  private static String first(String given, String variable, String otherwise) {
    if (given != null && !given.isEmpty()) {
      return given;
    }
    return variable == null || variable.isEmpty() ? otherwise : variable;
  }
}
