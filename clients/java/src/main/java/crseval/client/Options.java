package crseval.client;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * Where a service is, and how it is asked. {@code with...} gives the same with one thing changed.
 *
 * @param url the service; null: {@code CRS_EVAL_URL}, else a service on this machine
 * @param key its key; null: {@code CRS_EVAL_API_KEY}, else none
 * @param retries when to ask again
 * @param timeout how long one attempt may take; null: as long as the service takes
 * @param hook is told of every attempt
 */
public record Options(
    String url, String key, Retries retries, Duration timeout, Consumer<Attempt> hook) {
  /** What the environment says, and the usual retries. */
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
