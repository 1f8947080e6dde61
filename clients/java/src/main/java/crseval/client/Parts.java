package crseval.client;

import crseval.generated.model.ItemLayout;
import crseval.generated.model.Part;
import crseval.generated.model.PartType;
import crseval.generated.model.ShownItem;
import java.util.List;

/** Builds the parts of a message. Each method takes only the fields that its type has; null leaves out what is optional. */
public final class Parts {
  private Parts() {}

  /** A text. */
  public static Part text(String text) {
    return new Part().type(PartType.TEXT).text(text);
  }

  /** Items that the user sees as cards, in order. */
  public static Part items(List<ShownItem> items, ItemLayout layout) {
    return new Part().type(PartType.ITEMS).items(items).layout(layout);
  }

  /** A call of the tool {@code name}; {@code arguments} are JSON text. */
  public static Part toolCall(String name, String arguments, String id) {
    return new Part().type(PartType.TOOL_CALL).name(name).arguments(arguments).id(id);
  }

  /** What a tool answered to the call with the id {@code call}; {@code error} is true if the tool failed. */
  public static Part toolResult(String content, String call, String name, Boolean error) {
    return new Part().type(PartType.TOOL_RESULT).content(content).call(call).name(name).error(error);
  }

  /** A picture; judges read {@code alt}. */
  public static Part image(String alt, String url) {
    return new Part().type(PartType.IMAGE).alt(alt).url(url);
  }
}
