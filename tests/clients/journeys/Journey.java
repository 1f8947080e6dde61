import com.fasterxml.jackson.databind.ObjectMapper;
import crseval.client.CrsEval;
import crseval.client.CrsEvalException;
import crseval.client.Event;
import crseval.generated.ApiException;
import crseval.generated.api.ScoreApi;
import crseval.generated.model.BatchLine;
import crseval.generated.model.BatchResult;
import crseval.generated.model.DebateRequest;
import crseval.generated.model.FactorScoreRequest;
import crseval.generated.model.Log;
import crseval.generated.model.ScoreAnswer;
import crseval.generated.model.ScoreRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What the Java client does with a service. */
public final class Journey {
  public static void main(String[] arguments) throws Exception {
    String url = arguments[0];
    String front = arguments[1];
    CrsEval client = new CrsEval(url, null);
    ObjectMapper mapper = client.api().getObjectMapper();
    Log log = mapper.readValue(Files.readString(Path.of(arguments[2])), Log.class);
    ScoreRequest request = new ScoreRequest().log(log);
    Map<String, Object> told = new HashMap<>();

    ScoreAnswer answer = client.score(request);
    told.put("mean", answer.getSummaries().get(0).getMean());
    told.put("factors", answer.getVerdicts().stream().map(verdict -> verdict.getFactor()).toList());
    told.put("overall", client.debate(new DebateRequest().log(log)).getOverall());

    List<Event> events = new ArrayList<>();
    client.stream("/score", request, events::add);
    told.put("events", events.stream().map(Event::name).toList());
    ScoreAnswer whole = mapper.treeToValue(events.get(events.size() - 1).data(), ScoreAnswer.class);
    told.put("streamed", whole.getSummaries().get(0).getMean());

    try {
      client.score(new ScoreRequest().log(log).judge("nobody"));
    } catch (CrsEvalException error) {
      told.put("said", error.getMessage());
      told.put(
          "error",
          Map.of(
              "status", error.status(),
              "pointer", error.problem().getErrors().get(0).getPointer(),
              "retryable", error.problem().getRetryable()));
    }

    CrsEval later = new CrsEval(front + "/later", null);
    told.put("later", later.score(request).getSummaries().get(0).getMean());

    Map<String, Object> brief = Map.of("log", Map.of("messages", log.getMessages().subList(0, 2)));
    Map<String, Object> empty = Map.of("log", Map.of("messages", List.of()));
    List<BatchLine> lines = new ArrayList<>();
    for (int number = 0; number < 501; number++) {
      lines.add(line(String.valueOf(number), number == 7 ? empty : brief));
    }
    List<BatchResult> results = new ArrayList<>();
    List<Integer> progress = new ArrayList<>();
    new CrsEval(front + "/plain", null).batch(lines, results::add, progress::add);
    told.put("lines", results.stream().map(BatchResult::getCustomId).distinct().count());
    told.put("progress", progress);
    told.put(
        "wrong_lines",
        results.stream()
            .filter(result -> result.getStatus() != 200)
            .map(result -> Integer.valueOf(result.getCustomId()))
            .toList());

    List<BatchResult> cut = new ArrayList<>();
    Map<String, Object> full = Map.of("log", log);
    List<BatchLine> named = Stream.of("a", "b", "c").map(name -> line(name, full)).toList();
    new CrsEval(front + "/cut", null).batch(named, cut::add, done -> {});
    told.put("cut", cut.stream().map(BatchResult::getCustomId).sorted().toList());

    ScoreApi busy = new ScoreApi(new CrsEval(front + "/busy", null).api());
    FactorScoreRequest one = new FactorScoreRequest().log(log);
    told.put("retried", busy.scoreFactor("coherence", one).getFactor());
    try {
      busy.scoreFactor("nonsense", one);
    } catch (ApiException error) {
      told.put("not_retried", error.getCode());
    }
    ScoreApi lost = new ScoreApi(new CrsEval(front + "/lost", null).api());
    told.put("reconnected", lost.scoreFactor("coherence", one).getFactor());
    List<Integer> givenUp = new ArrayList<>();
    for (String path : List.of("/hour", "/final")) {
      try {
        new ScoreApi(new CrsEval(front + path, null).api()).scoreFactor("coherence", one);
      } catch (ApiException error) {
        givenUp.add(error.getCode());
      }
    }
    told.put("given_up", givenUp);
    CrsEval down = new CrsEval("http://127.0.0.1:9", null);
    told.put(
        "down",
        List.of(
            seconds(() -> down.score(request)),
            seconds(() -> down.batch(named, result -> {}, done -> {}))));
    System.out.println(mapper.writeValueAsString(told));
  }

  private interface Asked {
    void run() throws Exception;
  }

  private static double seconds(Asked asked) {
    long begun = System.nanoTime();
    try {
      asked.run();
    } catch (Exception down) {
      return (System.nanoTime() - begun) / 1e9;
    }
    throw new IllegalStateException("a service that is down answered");
  }

  private static BatchLine line(String name, Map<String, Object> body) {
    return new BatchLine().customId(name).path("/score/coherence").body(body);
  }
}
