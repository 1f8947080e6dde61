package crseval.client;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;

/**
 * One attempt of a request, for logs: no body and no key.
 *
 * @param method its method
 * @param path its path
 * @param number which attempt it was, from 1
 * @param took how long it took
 * @param status the status of the answer; 0 where none came
 * @param requestId what the service's log calls the request, or null
 * @param error why no answer came, or null
 * @param pause the time until the next attempt; empty where there is none
 */
public record Attempt(
    String method,
    String path,
    int number,
    Duration took,
    int status,
    String requestId,
    IOException error,
    Optional<Duration> pause) {
  static Attempt of(
      HttpRequest request,
      int number,
      long begun,
      HttpResponse<?> response,
      IOException error,
      Optional<Duration> pause) {
    return new Attempt(
        request.method(),
        request.uri().getPath(),
        number,
        Duration.ofNanos(System.nanoTime() - begun),
        response == null ? 0 : response.statusCode(),
        response == null ? null : response.headers().firstValue("X-Request-ID").orElse(null),
        error,
        pause);
  }
}
