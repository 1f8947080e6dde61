package crseval.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import crseval.generated.ApiClient;
import crseval.generated.ApiException;
import crseval.generated.api.DebateApi;
import crseval.generated.api.EvaluateApi;
import crseval.generated.api.ScoreApi;
import crseval.generated.model.BatchLine;
import crseval.generated.model.BatchResult;
import crseval.generated.model.DebateAnswer;
import crseval.generated.model.DebateRequest;
import crseval.generated.model.EvaluateAnswer;
import crseval.generated.model.EvaluateRequest;
import crseval.generated.model.FactorScoreRequest;
import crseval.generated.model.Problem;
import crseval.generated.model.ScoreAnswer;
import crseval.generated.model.ScoreRequest;
import crseval.generated.model.Verdict;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** Asks a crs-eval service, and waits out troubles that pass. */
public final class CrsEval {
  /**
   * Lines of one request of a batch: the service reads no further while its results are not taken.
   */
  public static final int WINDOW = 500;

  /** The version of this client. */
  public static final String VERSION = "2.0.0";

  private static final Duration CONNECT = Duration.ofSeconds(10);

  private final String url;
  private final String key;
  private final Options options;
  private final HttpClient connections;
  private final HttpClient http;
  private final ApiClient api;
  private final ObjectMapper mapper;

  /** A client; {@code key} may be null. */
  public CrsEval(String url, String key) {
    this(url, key, Retries.DEFAULT);
  }

  /** A client with retries of one's own. */
  public CrsEval(String url, String key, Retries retries) {
    this(Options.DEFAULT.withUrl(url).withKey(key).withRetries(retries));
  }

  /** A client as the environment says: {@code CRS_EVAL_URL} and {@code CRS_EVAL_API_KEY}. */
  public CrsEval() {
    this(Options.DEFAULT);
  }

  /** A client with options. */
  public CrsEval(Options options) {
    this(
        options,
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .followRedirects(HttpClient.Redirect.NEVER) // one would carry the conversation elsewhere
            .build());
  }

  private CrsEval(Options options, HttpClient connections) {
    this.options = options;
    this.connections = connections;
    this.url = options.address().replaceAll("/+$", "");
    this.key = options.secret();
    this.mapper = ApiClient.createDefaultObjectMapper();
    this.http = new RetryingHttpClient(connections, options.retries(), mapper, options.hook());
    this.api =
        new ApiClient(HttpClient.newBuilder(), mapper, url) {
          @Override
          public HttpClient getHttpClient() {
            return http;
          }
        };
    this.api.setRequestInterceptor(this::prepare);
  }

  /** The same client, over the same connections, with other retries: for one request. */
  public CrsEval with(Retries other) {
    return new CrsEval(options.withRetries(other), connections);
  }

  /** The same client, over the same connections, with another time limit of an attempt: for one request. */
  public CrsEval with(Duration timeout) {
    return new CrsEval(options.withTimeout(timeout), connections);
  }

  /** Reads the data of an event, for example {@code done} as a {@code ScoreAnswer}. */
  public <T> T read(Event event, Class<T> model) {
    return mapper.convertValue(event.data(), model);
  }

  /** Reads the answer of a line of a batch as the model of its route; a line that failed is thrown. */
  public <T> T read(BatchResult result, Class<T> model) throws CrsEvalException {
    if (result.getStatus() == 200) {
      return mapper.convertValue(result.getBody(), model);
    }
    Problem problem = mapper.convertValue(result.getBody(), Problem.class);
    throw CrsEvalException.of(result.getStatus(), problem, "", null);
  }

  /** Client that every generated API takes: {@code new FactorsApi(client.api())}. */
  public ApiClient api() {
    return api;
  }

  /**
   * Returns what a generated API answers, and throws its problem as a {@code CrsEvalException}:
   * {@code client.ask(() -> new FactorsApi(client.api()).listFactors())}.
   */
  public <T> T ask(Call<T> call) throws CrsEvalException {
    try {
      return call.run();
    } catch (ApiException error) {
      throw problem(error.getCode(), error.getResponseBody(), error);
    }
  }

  /** A call of a generated API. */
  @FunctionalInterface
  public interface Call<T> {
    /** Asks the service. */
    T run() throws ApiException;
  }

  /** Judge a log on one factor. */
  public Verdict scoreFactor(String factor, FactorScoreRequest request) throws CrsEvalException {
    return ask(() -> new ScoreApi(api).scoreFactor(factor, request));
  }

  /** Judge a log on several factors; CoRE's twelve where the request names none. */
  public ScoreAnswer score(ScoreRequest request) throws CrsEvalException {
    return ask(() -> new ScoreApi(api).scoreLog(request));
  }

  /** Have roles debate a log to one score from 0 to 100. */
  public DebateAnswer debate(DebateRequest request) throws CrsEvalException {
    return ask(() -> new DebateApi(api).debateOneLog(request));
  }

  /** Score, debate and measure a log. */
  public EvaluateAnswer evaluate(EvaluateRequest request) throws CrsEvalException {
    return ask(() -> new EvaluateApi(api).evaluateLog(request));
  }

  /**
   * Gives each event of {@code /score}, {@code /debate}, {@code /evaluate} or {@code /simulate} as
   * it comes; {@code done} is the last and carries the whole answer. An {@code error} event is
   * thrown, and {@code Unreachable} where the stream breaks off.
   */
  public void stream(String path, Object body, Consumer<Event> take)
      throws CrsEvalException, IOException, InterruptedException {
    EventReader reader = new EventReader(mapper);
    byte[] sent = mapper.writeValueAsBytes(body);
    try (BufferedReader lines = post(path, "application/json", "text/event-stream", sent)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Event event = reader.feed(line).orElse(null);
        if (event != null && event.name().equals("error")) {
          Problem problem = mapper.treeToValue(event.data(), Problem.class);
          throw CrsEvalException.of(problem.getStatus(), problem, "", null);
        }
        if (event != null) {
          take.accept(event);
        }
      }
    } catch (IOException lost) {
      throw unreachable(lost.toString(), lost);
    }
  }

  /**
   * Gives the results of lines as they finish, in any order, and to {@code progress} the number of
   * lines that are done. Where the connection breaks, what is not answered yet is sent again.
   */
  public void batch(Iterable<BatchLine> lines, Consumer<BatchResult> take, IntConsumer progress)
      throws CrsEvalException, IOException, InterruptedException {
    Iterator<BatchLine> left = lines.iterator();
    int[] done = {0};
    while (left.hasNext()) {
      window(
          next(left),
          result -> {
            progress.accept(++done[0]);
            take.accept(result);
          });
    }
  }

  private static Map<String, BatchLine> next(Iterator<BatchLine> left) {
    Map<String, BatchLine> waiting = new LinkedHashMap<>();
    while (left.hasNext() && waiting.size() < WINDOW) {
      BatchLine line = left.next();
      if (waiting.put(line.getCustomId(), line) != null) {
        throw new IllegalArgumentException("two lines of a batch are called " + line.getCustomId());
      }
    }
    return waiting;
  }

  private void window(Map<String, BatchLine> waiting, Consumer<BatchResult> take)
      throws CrsEvalException, IOException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      IOException broken = null;
      BufferedReader lines = send(waiting); // what it throws was tried again before
      try (lines) {
        read(lines, waiting, take);
      } catch (IOException lost) {
        broken = lost;
      }
      if (waiting.isEmpty()) {
        return;
      }
      if (attempt >= options.retries().attempts()) {
        throw unreachable(waiting.size() + " lines of the batch were not answered", broken);
      }
      Thread.sleep(Retries.backoff(attempt).toMillis());
    }
  }

  private BufferedReader send(Map<String, BatchLine> waiting)
      throws CrsEvalException, IOException, InterruptedException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (BatchLine line : waiting.values()) {
      body.writeBytes(mapper.writeValueAsBytes(line));
      body.write('\n');
    }
    String kind = "application/x-ndjson";
    return post("/batch", kind, kind, body.toByteArray());
  }

  private void read(
      BufferedReader lines, Map<String, BatchLine> waiting, Consumer<BatchResult> take)
      throws IOException {
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      BatchResult result = mapper.readValue(line, BatchResult.class);
      if (waiting.remove(result.getCustomId()) == null) {
        return; // a result without a line's name is the batch's own end
      }
      take.accept(result);
    }
  }

  private BufferedReader post(String path, String kind, String accept, byte[] body)
      throws CrsEvalException, InterruptedException {
    HttpRequest.Builder asked =
        HttpRequest.newBuilder(URI.create(url + path))
            .header("Content-Type", kind)
            .header("Accept", accept)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    prepare(asked);
    try {
      HttpResponse<InputStream> response =
          http.send(asked.build(), HttpResponse.BodyHandlers.ofInputStream());
      if (response.statusCode() == 200) {
        return new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
      }
      byte[] told = response.body().readAllBytes();
      throw problem(response.statusCode(), new String(told, StandardCharsets.UTF_8), null);
    } catch (IOException lost) {
      throw unreachable(lost.toString(), lost);
    }
  }

  private static CrsEvalException unreachable(String reason, Exception cause) {
    return CrsEvalException.of(0, null, reason, cause);
  }

  private void prepare(HttpRequest.Builder request) {
    request.setHeader("User-Agent", "crs-eval-client-java/" + VERSION);
    if (options.timeout() != null) {
      request.timeout(options.timeout());
    }
    if (key != null) {
      request.setHeader("Authorization", "Bearer " + key);
    }
  }

  private CrsEvalException problem(int status, String body, Exception cause) {
    if (body == null) {
      Throwable reason = cause.getCause() == null ? cause : cause.getCause();
      return unreachable(reason.toString(), cause);
    }
    try {
      return CrsEvalException.of(status, mapper.readValue(body, Problem.class), body, cause);
    } catch (IOException page) { // of a proxy
      return CrsEvalException.of(status, null, body, cause);
    }
  }
}
