package crseval.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;

/** Waits out troubles that pass; what is sent asynchronously is sent once. */
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
      Optional<Duration> wait;
      long begun = System.nanoTime();
      try {
        HttpResponse<T> response = kept(next.send(request, handler));
        wait =
            passing(response)
                ? retries.after(attempt, response.headers().firstValue("Retry-After"))
                : Optional.empty();
        hook.accept(Attempt.of(request, attempt, begun, response, null, wait));
        if (wait.isEmpty()) {
          return response;
        }
      } catch (HttpTimeoutException late) {
        hook.accept(Attempt.of(request, attempt, begun, null, late, Optional.empty()));
        throw late; // the same would take as long again
      } catch (IOException lost) {
        wait = retries.after(attempt, lost);
        hook.accept(Attempt.of(request, attempt, begun, null, lost, wait));
        if (wait.isEmpty()) {
          throw lost;
        }
      }
      Thread.sleep(wait.get().toMillis());
    }
  }

  /** The response, of which the body can still be read after {@link #passing} has looked at it. */
  @SuppressWarnings("unchecked") // T is InputStream where the body is one
  private static <T> HttpResponse<T> kept(HttpResponse<T> response) throws IOException {
    if (response.statusCode() < 400 || !(response.body() instanceof InputStream stream)) {
      return response;
    }
    try (stream) {
      return new Kept<>(response, (T) new ByteArrayInputStream(stream.readAllBytes()));
    }
  }

  /** Returns true for a passing problem: its own field decides, else its status. */
  private <T> boolean passing(HttpResponse<T> response) throws IOException {
    boolean usual = Retries.PASSING.contains(response.statusCode());
    if (response.statusCode() < 400 || !(response.body() instanceof ByteArrayInputStream body)) {
      return usual;
    }
    body.mark(0);
    try {
      JsonNode told = mapper.readTree(body.readAllBytes());
      return told.path("retryable").asBoolean(usual);
    } catch (com.fasterxml.jackson.core.JsonProcessingException page) {
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

  private record Kept<T>(HttpResponse<T> of, T body) implements HttpResponse<T> {
    @Override
    public int statusCode() {
      return of.statusCode();
    }

    @Override
    public HttpRequest request() {
      return of.request();
    }

    @Override
    public Optional<HttpResponse<T>> previousResponse() {
      return of.previousResponse();
    }

    @Override
    public HttpHeaders headers() {
      return of.headers();
    }

    @Override
    public Optional<SSLSession> sslSession() {
      return of.sslSession();
    }

    @Override
    public URI uri() {
      return of.uri();
    }

    @Override
    public HttpClient.Version version() {
      return of.version();
    }
  }
}
