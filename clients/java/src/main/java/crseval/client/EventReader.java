package crseval.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Optional;
import java.util.StringJoiner;

/** Turns lines of {@code text/event-stream} into events. */
final class EventReader {
  private final ObjectMapper mapper;
  private String id;
  private String name = "message";
  private StringJoiner data = empty();

  EventReader(ObjectMapper mapper) {
    this.mapper = mapper;
  }

  /** Takes one line without its end; an empty one ends an event. */
  Optional<Event> feed(String line) throws JsonProcessingException {
    if (line.isEmpty()) {
      Optional<Event> event = Optional.empty();
      if (data.length() > 0) {
        event = Optional.of(new Event(id, name, mapper.readTree(data.toString())));
      }
      name = "message";
      data = empty();
      return event;
    }
    // A line that begins with a colon is a comment: the service is still working.
    int colon = line.indexOf(':');
    String value = colon < 0 ? "" : line.substring(colon + 1);
    value = value.startsWith(" ") ? value.substring(1) : value;
    switch (colon < 0 ? line : line.substring(0, colon)) {
      case "data" -> data.add(value);
      case "event" -> name = value;
      case "id" -> id = value;
      default -> { }
    }
    return Optional.empty();
  }

  private static StringJoiner empty() {
    return new StringJoiner("\n");
  }
}
