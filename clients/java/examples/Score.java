import crseval.client.CrsEval;
import crseval.client.Parts;
import crseval.generated.model.ItemLayout;
import crseval.generated.model.Log;
import crseval.generated.model.Message;
import crseval.generated.model.Role;
import crseval.generated.model.ScoreRequest;
import crseval.generated.model.ShownItem;
import java.util.List;

/** Scores one conversation and shows the verdicts as they come. */
public final class Score {
  /** The first argument is the service's URL. */
  public static void main(String[] arguments) throws Exception {
    CrsEval client = new CrsEval(arguments.length > 0 ? arguments[0] : "http://127.0.0.1:8000", null);
    List<ShownItem> shown = List.of(new ShownItem().title("The Long Riders"));
    Message reply = new Message().role(Role.ASSISTANT).content("Try this one:");
    reply.addPartsItem(Parts.items(shown, ItemLayout.CAROUSEL));
    Log log =
        new Log()
            .addMessagesItem(new Message().role(Role.USER).content("Any western from the seventies?"))
            .addMessagesItem(reply);
    ScoreRequest request = new ScoreRequest().log(log);
    System.out.println("mean " + client.score(request).getSummaries().get(0).getMean());
    client.stream(
        "/score",
        request,
        event -> {
          if (event.name().equals("verdict")) {
            System.out.println(event.data().get("factor").asText() + " " + event.data().get("status").asText());
          }
        });
  }
}
