/** A conversation to read, in which verdicts can point at messages and messages at verdicts. */

import type { Log, Message, Verdict } from "../../typescript/src/index.ts";
import { h, told } from "./dom.ts";
import { citedBy } from "./verdicts.ts";

/** The transcript of a log. */
export class Transcript {
  readonly element = h("ol", { class: "transcript", "aria-label": "Transcript" });
  readonly #rows: HTMLLIElement[] = [];
  readonly #onFactor: ((factor: string) => void) | undefined;

  /** `onFactor` is what a message's link to a verdict does. */
  constructor(log: Log, onFactor?: (factor: string) => void) {
    this.#onFactor = onFactor;
    for (const message of log.history ?? []) this.element.append(h("li", { class: `message ${message.role} history` }, ...inside(message, "earlier")));
    for (const message of log.messages) this.add(message);
  }

  /** Append a message, and why it was said where that is known. */
  add(message: Message, why?: string | null) {
    const row = h("li", { class: `message ${message.role}`, tabindex: -1 }, ...inside(message, String(this.#rows.length), why), h("p", { class: "cited-by" }));
    this.#rows.push(row);
    this.element.append(row);
  }

  /** Take the last message back. */
  drop() {
    this.#rows.pop()?.remove();
  }

  /** Let the messages that a verdict cites point back at it. */
  cite(verdict: Verdict) {
    for (const index of citedBy(verdict)) {
      const text = told(verdict.factor);
      this.#rows[index]?.querySelector(".cited-by")?.append(h("button", {
        type: "button", class: "chip", "data-factor": verdict.factor,
        "aria-label": `${text} cites this message: show the verdict`, onclick: () => this.#onFactor?.(verdict.factor),
      }, text));
    }
  }

  /** Highlight what a verdict cites; null clears. */
  highlight(verdict: Verdict | null) {
    const cited = new Set(verdict ? citedBy(verdict) : []);
    this.#rows.forEach((row, index) => {
      row.classList.toggle("cited", cited.has(index));
      const quotes = (verdict?.evidence ?? []).flatMap((one) => (one.message === index && one.quote ? [one.quote] : []));
      const content = row.querySelector<HTMLElement>(".content");
      content?.replaceChildren(...marked(content.textContent ?? "", quotes));
      for (const chip of row.querySelectorAll<HTMLElement>(".chip")) chip.classList.toggle("on", chip.dataset.factor === verdict?.factor);
    });
  }

  /** Bring a message into view and move the focus there. */
  show(index: number) {
    this.#rows[index]?.focus({ preventScroll: true });
    this.#rows[index]?.scrollIntoView({ block: "nearest" });
  }
}

function inside(message: Message, place: string, why?: string | null): HTMLElement[] {
  const who = message.role === "user" ? "User" : "Recommender";
  const parts: HTMLElement[] = [
    h("p", { class: "who" }, who, " ", h("span", { class: "place" }, place)),
    h("p", { class: "content", dir: "auto" }, message.content),
  ];
  if (message.recommendations?.length) {
    parts.push(h("ul", { class: "items", "aria-label": "Items shown" }, ...message.recommendations.map((title) => h("li", { dir: "auto" }, title))));
  }
  if (message.thoughts) parts.push(h("p", { class: "thoughts", dir: "auto" }, h("span", { class: "label" }, h("bdi", {}, "Thinks")), " ", message.thoughts));
  if (why) parts.push(h("p", { class: "hint", dir: "auto" }, h("span", { class: "label" }, h("bdi", {}, "Why:")), " ", why));
  return parts;
}

/** The text with each quote marked where it first stands. */
function marked(text: string, quotes: string[]): (string | HTMLElement)[] {
  const spans = quotes.flatMap((quote) => {
    const start = text.indexOf(quote);
    return start < 0 ? [] : [{ start, end: start + quote.length }];
  });
  spans.sort((a, b) => a.start - b.start);
  const parts: (string | HTMLElement)[] = [];
  let at = 0;
  for (const { start, end } of spans) {
    if (start < at) continue;
    parts.push(text.slice(at, start), h("mark", {}, text.slice(start, end)));
    at = end;
  }
  return [...parts, text.slice(at)];
}
