package crseval.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Rules of retries.
 *
 * @param attempts number of attempts in all
 * @param connections number of attempts where nothing accepts the connection
 * @param longest the longest {@code Retry-After} that is waited for
 */
public record Retries(int attempts, int connections, Duration longest) {
  /** Six attempts, three to connect (under 3 s), and waits of up to a minute. */
  public static final Retries DEFAULT = new Retries(6, 3, Duration.ofMinutes(1));

  /** Troubles that pass. Every route may be asked again: none changes anything. */
  static final Set<Integer> PASSING = Set.of(429, 502, 503, 504);

  /** The wait after a failed attempt; empty to give up. */
  Optional<Duration> after(int attempt, Optional<String> retryAfter) {
    if (attempt >= attempts) {
      return Optional.empty();
    }
    Optional<Duration> asked = retryAfter.flatMap(Retries::read);
    return asked.isEmpty()
        ? Optional.of(backoff(attempt))
        : asked.filter(wait -> wait.compareTo(longest) <= 0);
  }

  /** The wait after a connection that broke or could not be made; empty to give up, as where another try would take as long. */
  Optional<Duration> after(int attempt, IOException lost) {
    boolean refused = lost instanceof ConnectException && attempt >= connections;
    return refused || lost instanceof HttpTimeoutException
        ? Optional.empty()
        : after(attempt, Optional.empty());
  }

  /** Half a second, doubled with each attempt up to 8 s, and spread so that callers do not march in step. */
  static Duration backoff(int attempt) {
    double seconds = Math.min(8, 0.5 * Math.pow(2, attempt - 1));
    return Duration.ofMillis((long) (seconds * ThreadLocalRandom.current().nextDouble(500, 1000)));
  }

  /** A {@code Retry-After} header, which may be a number or a date. */
  static Optional<Duration> read(String value) {
    try {
      return Optional.of(Duration.ofMillis((long) (Math.max(0, Double.parseDouble(value)) * 1000)));
    } catch (NumberFormatException date) {
      try {
        Instant at = ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
        Duration left = Duration.between(Instant.now(), at);
        return Optional.of(left.isNegative() ? Duration.ZERO : left);
      } catch (DateTimeParseException neither) {
        return Optional.empty();
      }
    }
  }
}
