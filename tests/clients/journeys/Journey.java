import com.fasterxml.jackson.databind.ObjectMapper;
import crseval.client.Attempt;
import crseval.client.CrsEval;
import crseval.client.CrsEvalException;
import crseval.client.Event;
import crseval.client.Options;
import crseval.client.Parts;
import crseval.client.Retries;
import crseval.generated.api.LiveApi;
import crseval.generated.api.ScoreApi;
import crseval.generated.model.BatchLine;
import crseval.generated.model.BatchResult;
import crseval.generated.model.DebateRequest;
import crseval.generated.model.FactorScoreRequest;
import crseval.generated.model.ItemLayout;
import crseval.generated.model.LiveMessage;
import crseval.generated.model.LivePost;
import crseval.generated.model.LiveUser;
import crseval.generated.model.Log;
import crseval.generated.model.ScoreAnswer;
import crseval.generated.model.ScoreRequest;
import crseval.generated.model.ShownItem;
import crseval.generated.model.Verdict;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.stream.Stream;

/** The calls that the Java client makes to a service. */
public final class Journey {
  public static void main(String[] arguments) throws Exception {
    String url = arguments[0];
    String front = arguments[1];
    CrsEval client = new CrsEval(url, null);
    ObjectMapper mapper = client.api().getObjectMapper();
    Log log = mapper.readValue(Files.readString(Path.of(arguments[2])), Log.class);
    ScoreRequest request = new ScoreRequest().log(log);
    Map<String, Object> output = new HashMap<>();
    List<ShownItem> shown = List.of(new ShownItem().id("j1").title("Fellwind Shell"));
    output.put(
        "parts",
        List.of(
            Parts.text("Two fit your budget:"),
            Parts.items(shown, ItemLayout.CAROUSEL),
            Parts.toolCall("search", "{}", "call_1"),
            Parts.toolResult("[]", "call_1", "search", true),
            Parts.image("A jacket", "https://shop.example/j1"),
            Parts.toolCall("search", null, null)));

    ScoreAnswer answer = client.score(request);
    output.put("mean", answer.getSummaries().get(0).getMean());
    output.put("factors", answer.getVerdicts().stream().map(one -> one.getFactor()).toList());
    output.put("overall", client.debate(new DebateRequest().log(log)).getOverall());

    List<Event> events = new ArrayList<>();
    client.stream("/score", request, events::add);
    output.put("events", events.stream().map(Event::name).toList());
    ScoreAnswer whole = mapper.treeToValue(events.get(events.size() - 1).data(), ScoreAnswer.class);
    output.put("streamed", whole.getSummaries().get(0).getMean());
    Verdict first = client.read(events.get(0), Verdict.class);
    output.put("event", List.of(first.getFactor(), first.getScore()));
    ScoreAnswer last = client.read(events.get(events.size() - 1), ScoreAnswer.class);
    output.put("done", last.getSummaries().get(0).getMean());

    try {
      client.score(new ScoreRequest().log(log).judge("nobody"));
    } catch (CrsEvalException.InvalidRequest error) {
      output.put("said", error.getMessage());
      output.put("kind", true);
      output.put("request_id", error.requestId());
      output.put(
          "error",
          Map.of(
              "status", error.status(),
              "pointer", error.problem().getErrors().get(0).getPointer(),
              "retryable", error.problem().getRetryable()));
    }

    CrsEval later = new CrsEval(front + "/later", null);
    output.put("later", later.score(request).getSummaries().get(0).getMean());

    Map<String, Object> brief = Map.of("log", Map.of("messages", log.getMessages().subList(0, 2)));
    Map<String, Object> empty = Map.of("log", Map.of("messages", List.of()));
    List<BatchLine> lines = new ArrayList<>();
    for (int number = 0; number < 501; number++) {
      lines.add(line(String.valueOf(number), number == 7 ? empty : brief));
    }
    List<BatchResult> results = new ArrayList<>();
    List<Integer> progress = new ArrayList<>();
    new CrsEval(front + "/plain", null).batch(lines, results::add, progress::add);
    output.put("lines", results.stream().map(BatchResult::getCustomId).distinct().count());
    output.put("progress", progress);
    output.put(
        "wrong_lines",
        results.stream()
            .filter(result -> result.getStatus() != 200)
            .map(result -> Integer.valueOf(result.getCustomId()))
            .toList());

    List<BatchResult> cut = new ArrayList<>();
    Map<String, Object> full = Map.of("log", log);
    List<BatchLine> named = Stream.of("a", "b", "c").map(name -> line(name, full)).toList();
    new CrsEval(front + "/cut", null).batch(named, cut::add, done -> {});
    Verdict verdict = client.read(cut.get(0), Verdict.class);
    output.put("result", List.of(verdict.getFactor(), verdict.getScore()));
    BatchResult wrong = results.stream().filter(one -> one.getStatus() != 200).findFirst().get();
    try {
      client.read(wrong, Verdict.class);
    } catch (CrsEvalException error) {
      output.put(
          "failed_line", List.of(error.status(), error.problem().getErrors().get(0).getPointer()));
    }
    output.put("cut", cut.stream().map(BatchResult::getCustomId).sorted().toList());

    List<Object> hook = new ArrayList<>();
    CrsEval refusing =
        new CrsEval(Options.DEFAULT.withUrl(front + "/busy").withHook(seen -> hook.add(row(seen))));
    FactorScoreRequest one = new FactorScoreRequest().log(log);
    ScoreApi busy = new ScoreApi(refusing.api());
    output.put("retried", refusing.ask(() -> busy.scoreFactor("coherence", one)).getFactor());
    output.put("hook", List.copyOf(hook));
    CrsEval once = refusing.with(new Retries(1, 1, Duration.ZERO));
    output.put("asked_once", refused(() -> once.scoreFactor("diversity", one)));
    try {
      refusing.ask(() -> busy.scoreFactor("nonsense", one));
    } catch (CrsEvalException.NotFound error) {
      output.put("not_retried", error.status());
    }
    CrsEval lost = new CrsEval(front + "/lost", null);
    output.put("reconnected", lost.scoreFactor("coherence", one).getFactor());
    CrsEval passing = new CrsEval(front + "/passing", null);
    output.put("insisted", passing.scoreFactor("coherence", one).getFactor());
    output.put("named", new CrsEval().scoreFactor("coherence", one).getFactor());
    try {
      new CrsEval(front + "/page", null, new Retries(1, 1, Duration.ZERO)).score(request);
    } catch (CrsEvalException.ServiceFailed page) {
      output.put("page", page.status());
    }
    CrsEval hasty = new CrsEval(front + "/slow", null).with(Duration.ofMillis(300));
    try {
      hasty.scoreFactor("coherence", one);
    } catch (CrsEvalException.TimedOut late) {
      output.put("limited", true);
    }
    try {
      new CrsEval(front + "/broken", null).scoreFactor("coherence", one);
    } catch (CrsEvalException.Unreachable broken) {
      output.put("broken", true);
    }
    CrsEval live = new CrsEval(System.getenv("LIVE_URL"), null);
    LiveApi talks = new LiveApi(live.api());
    LivePost post = new LivePost().user(new LiveUser().id("anna/1"));
    log.getMessages().stream()
        .limit(2)
        .map(said -> new LiveMessage().role(said.getRole()).content(said.getContent()))
        .forEach(post::addMessagesItem);
    int taken = live.ask(() -> talks.addMessages("shop/1", post)).getMessages();
    int kept = live.ask(() -> talks.getUser("anna/1")).getConversations().size();
    talks.deleteConversation("none");
    talks.deleteUser("anna/1");
    int left = live.ask(() -> talks.getUser("anna/1")).getConversations().size();
    List<String> systems = live.ask(() -> talks.getSummary(null, null, null)).getSystems();
    output.put("live", List.of(taken, kept, left, systems));
    try {
      live.ask(() -> talks.getJudgement("shop/1"));
    } catch (CrsEvalException.NotFound missing) {
      output.put("not_judged", missing.status());
    }
    CrsEval patient = new CrsEval(front + "/hour", null, new Retries(6, 3, Duration.ofHours(2)));
    Thread waiting = Thread.currentThread();
    Timer timer = new Timer(true);
    timer.schedule(
        new TimerTask() {
          @Override
          public void run() {
            waiting.interrupt();
          }
        },
        300);
    try {
      patient.scoreFactor("novelty", one);
    } catch (CrsEvalException.Unreachable stopped) {
      output.put("stopped_waiting", stopped.getCause().getCause() instanceof InterruptedException);
      Thread.interrupted();
    }
    List<Integer> givenUp = new ArrayList<>();
    for (String path : List.of("/hour", "/final")) {
      try {
        new CrsEval(front + path, null).scoreFactor("coherence", one);
      } catch (CrsEvalException error) {
        givenUp.add(error.status());
      }
    }
    output.put("given_up", givenUp);
    CrsEval down = new CrsEval("http://127.0.0.1:9", null);
    output.put(
        "down",
        List.of(
            seconds(() -> down.score(request)),
            seconds(() -> down.batch(named, result -> {}, done -> {}))));
    System.out.println(mapper.writeValueAsString(output));
  }

  private static List<Object> row(Attempt seen) {
    return List.of(
        seen.method(), seen.path(), seen.number(), seen.status(), seen.pause().isPresent());
  }

  private static int refused(Asked asked) throws Exception {
    try {
      asked.run();
    } catch (CrsEvalException error) {
      return error.status();
    }
    return 200;
  }

  private interface Asked {
    void run() throws Exception;
  }

  private static double seconds(Asked asked) throws Exception {
    long begun = System.nanoTime();
    try {
      asked.run();
    } catch (CrsEvalException.Unreachable down) {
      return (System.nanoTime() - begun) / 1e9;
    }
    throw new IllegalStateException("a service that is down answered");
  }

  private static BatchLine line(String name, Map<String, Object> body) {
    return new BatchLine().customId(name).path("/score/coherence").body(body);
  }
}
