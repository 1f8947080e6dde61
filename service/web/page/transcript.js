/** A conversation to read, in which verdicts can point at messages and messages at verdicts. */

import { h, told } from "./dom.js";

/** @import { Log, Message, Verdict } from "./wire" */

/** The transcript of a log. */
export class Transcript {
  /** @param {Log} log @param {(factor: string) => void} [onFactor] what a message's link to a verdict does */
  constructor(log, onFactor) {
    this.onFactor = onFactor;
    /** @type {HTMLLIElement[]} */
    this.rows = [];
    this.list = h("ol", { class: "transcript", "aria-label": "Transcript" });
    for (const message of log.history ?? []) this.list.append(h("li", { class: `message ${message.role} history` }, ...inside(message, "earlier")));
    for (const message of log.messages) this.add(message);
    this.element = this.list;
  }

  /** Append a message, and why it was said where that is known. @param {Message} message @param {string | null} [why] */
  add(message, why) {
    const row = h("li", { class: `message ${message.role}`, tabindex: -1 }, ...inside(message, String(this.rows.length), why));
    row.append(h("p", { class: "cited-by" }));
    this.rows.push(row);
    this.list.append(row);
  }

  /** Take the last message back. */
  drop() {
    this.rows.pop()?.remove();
  }

  /** Let the messages that a verdict cites point back at it. @param {Verdict} verdict */
  cite(verdict) {
    for (const index of citedBy(verdict)) {
      const place = this.rows[index]?.querySelector(".cited-by");
      const text = told(verdict.factor);
      place?.append(h("button", { type: "button", class: "chip", "data-factor": verdict.factor, "aria-label": `${text} cites this message: show the verdict`, onclick: () => this.onFactor?.(verdict.factor) }, text));
    }
  }

  /** Highlight what a verdict cites; null clears. @param {Verdict | null} verdict */
  highlight(verdict) {
    const cited = new Set(verdict ? citedBy(verdict) : []);
    this.rows.forEach((row, index) => {
      row.classList.toggle("cited", cited.has(index));
      const quotes = (verdict?.evidence ?? []).flatMap((one) => (one.message === index && one.quote ? [one.quote] : []));
      const content = /** @type {HTMLElement} */ (row.querySelector(".content"));
      content.replaceChildren(...marked(content.textContent ?? "", quotes));
      for (const chip of row.querySelectorAll(".chip")) {
        chip.classList.toggle("on", chip.getAttribute("data-factor") === verdict?.factor);
      }
    });
  }

  /** Bring a message into view and move the focus there. @param {number} index */
  show(index) {
    this.rows[index]?.focus({ preventScroll: true });
    this.rows[index]?.scrollIntoView({ block: "nearest" });
  }
}

/** Messages that a verdict cites, by its evidence and its flags, in order. @param {Verdict} verdict @returns {number[]} */
export function citedBy(verdict) {
  const places = [...verdict.evidence, ...verdict.flags].map((one) => one.message);
  return [...new Set(places.filter((place) => place !== null))].sort((a, b) => a - b);
}

/** @param {Message} message @param {string} place @param {string | null} [why] @returns {HTMLElement[]} */
function inside(message, place, why) {
  const who = message.role === "user" ? "User" : "Recommender";
  /** @type {HTMLElement[]} */
  const parts = [
    h("p", { class: "who" }, who, " ", h("span", { class: "place" }, place)),
    h("p", { class: "content" }, message.content),
  ];
  if (message.recommendations?.length) {
    parts.push(h("ul", { class: "items", "aria-label": "Items shown" }, ...message.recommendations.map((title) => h("li", {}, title))));
  }
  if (message.thoughts) parts.push(h("p", { class: "thoughts" }, h("span", { class: "label" }, "Thinks"), " ", message.thoughts));
  if (why) parts.push(h("p", { class: "hint" }, h("span", { class: "label" }, "Why:"), " ", why));
  return parts;
}

/** The text with each quote marked where it first stands. @param {string} text @param {string[]} quotes @returns {(string | HTMLElement)[]} */
function marked(text, quotes) {
  /** @type {[number, number][]} */
  const spans = quotes.flatMap((quote) => {
    const start = text.indexOf(quote);
    return start < 0 ? [] : [/** @type {[number, number]} */ ([start, start + quote.length])];
  });
  spans.sort((a, b) => a[0] - b[0]);
  /** @type {(string | HTMLElement)[]} */
  const parts = [];
  let at = 0;
  for (const [start, end] of spans) {
    if (start < at) continue;
    parts.push(text.slice(at, start), h("mark", {}, text.slice(start, end)));
    at = end;
  }
  return [...parts, text.slice(at)];
}
