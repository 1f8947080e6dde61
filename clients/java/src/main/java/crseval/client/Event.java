package crseval.client;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * One event of a stream.
 *
 * @param id its number, or null
 * @param name {@code verdict}, {@code round}, {@code message}, {@code progress} or {@code done}
 * @param data its JSON
 */
public record Event(String id, String name, JsonNode data) {}
