/** Plain transcripts, a message a line: `User: …`, `Bot: …`. The names are those that `crs-eval import` knows. */

import type { Log, Message } from "../../../typescript/src/index.ts";

const USERS = ["user", "human", "seeker", "customer", "client", "initiator", "shopper", "visitor", "guest", "listener", "end user"];
const RECOMMENDERS = [
  "assistant", "asst", "agent", "bot", "chatbot", "gpt", "chatgpt", "ai", "model", "recommender", "crs", "respondent", "virtual assistant",
];
/** A time in brackets may stand before the name. */
const LINE = /^\s*(?:\[[^\]]{1,40}\]\s*)?(\p{L}[\p{L} _]{0,30}):\s?(.*)$/u;
const BREAK = /^\s*(?:-{3,}|={3,}|\*{3,})\s*$/;

/** The conversations of a transcript, which lines of dashes divide; none where nobody speaks in it. */
export function readTranscripts(text: string): Log[] {
  const logs: Message[][] = [[]];
  for (const line of text.split(/\r?\n/)) {
    const messages = logs.at(-1) ?? [];
    if (BREAK.test(line)) logs.push([]);
    else if (!speaks(line, messages) && line.trim()) {
      const last = messages.at(-1);
      if (last) last.content += `\n${line.trim()}`;
    }
  }
  return logs.filter((messages) => messages.length).map((messages) => ({ messages }));
}

function speaks(line: string, messages: Message[]): boolean {
  const [, name = "", content = ""] = LINE.exec(line) ?? [];
  const role = roleOf(name.trim().toLowerCase().replaceAll("_", " "));
  if (role) messages.push({ role, content: content.trim() });
  return role !== null;
}

function roleOf(name: string): Message["role"] | null {
  if (USERS.includes(name)) return "user";
  return RECOMMENDERS.includes(name) ? "assistant" : null;
}
