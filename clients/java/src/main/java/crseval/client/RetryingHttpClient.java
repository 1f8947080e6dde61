package crseval.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** Waits out troubles that pass, for bodies that are read as an InputStream; what is sent asynchronously is sent once. */
final class RetryingHttpClient extends HttpClient {
  private final HttpClient next;
  private final Retries retries;
  private final ObjectMapper mapper;
  private final Consumer<Attempt> hook;

  RetryingHttpClient(
      HttpClient next, Retries retries, ObjectMapper mapper, Consumer<Attempt> hook) {
    this.next = next;
    this.retries = retries;
    this.mapper = mapper;
    this.hook = hook;
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler)
      throws IOException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      long begun = System.nanoTime();
      HttpResponse<T> response = null;
      IOException lost = null;
      Optional<Duration> wait = Optional.empty();
      try {
        response = next.send(request, told -> told.statusCode() < 400 ? handler.apply(told) : kept());
        if (passing(response)) {
          wait = retries.after(attempt, response.headers().firstValue("Retry-After"));
        }
      } catch (IOException error) {
        lost = error;
        wait = retries.after(attempt, lost);
      }
      hook.accept(Attempt.of(request, attempt, begun, response, lost, wait));
      if (wait.isPresent()) {
        Thread.sleep(wait.get().toMillis());
      } else if (lost != null) {
        throw lost;
      } else {
        return response;
      }
    }
  }

  /** Keeps the body of a problem in memory, so that it can be read after {@link #passing} has looked at it. */
  @SuppressWarnings("unchecked") // T is InputStream
  private static <T> HttpResponse.BodySubscriber<T> kept() {
    return (HttpResponse.BodySubscriber<T>)
        HttpResponse.BodySubscribers.mapping(
            HttpResponse.BodySubscribers.ofByteArray(), ByteArrayInputStream::new);
  }

  /** Returns true for a passing problem: its own field decides, else its status. */
  private boolean passing(HttpResponse<?> response) throws IOException {
    boolean usual = Retries.PASSING.contains(response.statusCode());
    if (!(response.body() instanceof ByteArrayInputStream body)) {
      return usual;
    }
    try {
      return mapper.readTree(body.readAllBytes()).path("retryable").asBoolean(usual);
    } catch (JsonProcessingException page) {
      return usual; // of a proxy, which knows nothing of it
    } finally {
      body.reset();
    }
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, HttpResponse.BodyHandler<T> handler) {
    return next.sendAsync(request, handler);
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request,
      HttpResponse.BodyHandler<T> handler,
      HttpResponse.PushPromiseHandler<T> promises) {
    return next.sendAsync(request, handler, promises);
  }

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return next.cookieHandler();
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return next.connectTimeout();
  }

  @Override
  public Redirect followRedirects() {
    return next.followRedirects();
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return next.proxy();
  }

  @Override
  public SSLContext sslContext() {
    return next.sslContext();
  }

  @Override
  public SSLParameters sslParameters() {
    return next.sslParameters();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return next.authenticator();
  }

  @Override
  public Version version() {
    return next.version();
  }

  @Override
  public Optional<Executor> executor() {
    return next.executor();
  }
}
