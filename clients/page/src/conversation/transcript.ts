/** A conversation to read, in which verdicts can point at messages and messages at verdicts. */

import type { Log, Message, Part, Verdict } from "../../../typescript/src/index.ts";
import { h, number, told } from "../basics/dom.ts";
import { citedBy, levelClass, shareOf } from "../verdicts/facts.ts";
import { lossText, pointsOf, type Points } from "../verdicts/points.ts";
import { marked } from "./marked.ts";
import { beside, listed, partsOf } from "./shown.ts";

/** A text with more signs is cut until somebody asks for the rest. */
const LONG = 900;
/** Points lost that are as red as any more. */
const DEAR = 2.5;

interface Row {
  element: HTMLLIElement;
  content: HTMLElement;
  text: string;
}

/** The transcript of a log. */
export class Transcript {
  readonly element = h("ol", { class: "transcript", "aria-label": "Transcript" });
  readonly #rows: Row[] = [];
  readonly #onFactor: ((factor: string) => void) | undefined;

  /** `onFactor` is what a message's link to a verdict does. */
  constructor(log: Log, onFactor?: (factor: string) => void) {
    this.#onFactor = onFactor;
    for (const message of listed(log.history).filter(saysSomething)) {
      this.element.append(h("li", { class: `message ${message.role} history` }, h("div", { class: "bubble" }, ...inside(message, "earlier", contentOf(message)))));
    }
    for (const message of log.messages) this.add(message);
  }

  /** Append a message, and why it was said where that is known. One that says nothing counts, and is not shown. */
  add(message: Message, why?: string | null) {
    const content = contentOf(message);
    const element = h("li", { class: `message ${message.role}`, tabindex: -1 },
      h("div", { class: "bubble" }, ...inside(message, String(this.#rows.length), content, why), h("p", { class: "cited-by" })));
    this.#rows.push({ element, content, text: content.textContent ?? "" });
    if (saysSomething(message)) this.element.append(element);
  }

  /** Take the last message back. */
  drop() {
    this.#rows.pop()?.element.remove();
  }

  /** Let the messages that a verdict cites point back at it. */
  cite(verdict: Verdict) {
    const share = shareOf(verdict);
    for (const index of citedBy(verdict)) {
      const text = told(verdict.factor);
      const effect = verdict.evidence.filter((one) => one.message === index).reduce((sum, one) => sum + (one.effect ?? 0), 0);
      this.#rows[index]?.element.querySelector(".cited-by")?.append(h("button", {
        type: "button", class: "chip", "data-factor": verdict.factor,
        "aria-label": `${text} cites this message: show the verdict`, onclick: () => this.#onFactor?.(verdict.factor),
      }, share === null ? null : h("span", { class: `dot ${levelClass(share)}` }), text, effect < -0.005 ? ` −${number(-effect)}` : ""));
    }
  }

  /** A strip beside the messages: what each of them cost. */
  score(verdicts: Verdict[]) {
    const points = pointsOf(verdicts);
    const most = Math.max(...[...points.values()].map((one) => one.lost));
    this.element.classList.toggle("scored", points.size > 0);
    for (const [index, { element }] of this.#rows.entries()) {
      element.querySelector(":scope > .points")?.remove();
      const found = points.get(index);
      if (found) element.append(this.#strip(index, found, most));
    }
  }

  #strip(index: number, points: Points, most: number): HTMLElement {
    const share = 1 - points.lost / DEAR;
    const text = points.lost ? `−${number(points.lost)}` : "0";
    const dearest = points.parts[0]?.factor;
    return h("button", {
      type: "button", class: `points ${levelClass(share)}`, "--part": most ? points.lost / most : 0, title: lossText(points),
      "aria-label": `Message ${index}: ${lossText(points)}`, disabled: !dearest, onclick: () => dearest && this.#onFactor?.(dearest),
    }, text);
  }

  /** Highlight what a verdict cites; null clears. */
  highlight(verdict: Verdict | null) {
    const cited = new Set(verdict ? citedBy(verdict) : []);
    for (const [index, { element, content, text }] of this.#rows.entries()) {
      element.classList.toggle("cited", cited.has(index));
      const quotes = (verdict?.evidence ?? []).flatMap((one) => (one.message === index && one.quote ? [one.quote] : []));
      content.replaceChildren(...marked(text, quotes));
      if (content.querySelector("mark")) content.classList.remove("cut");
      for (const chip of element.querySelectorAll<HTMLElement>(".chip[data-factor]")) chip.classList.toggle("on", chip.dataset.factor === verdict?.factor);
    }
  }

  /** Bring a message into view and move the focus there. */
  show(index: number) {
    this.#rows[index]?.element.focus({ preventScroll: true });
    this.#rows[index]?.element.scrollIntoView({ block: "nearest" });
  }

  /** Returns the place for a verdict about this message; null where the message is not shown. */
  slot(index: number): HTMLElement | null {
    const row = this.#rows[index]?.element;
    if (!row?.isConnected) return null;
    const found = row.querySelector<HTMLElement>(":scope > .here");
    if (found) return found;
    const made = h("div", { class: "here" });
    row.append(made);
    return made;
  }
}

/** False for what instructions and empty answers of tools leave. */
function saysSomething(message: Message): boolean {
  return message.role !== "tool" || Boolean(message.content) || partsOf(message).length > 0;
}

function contentOf(message: Message): HTMLElement {
  const said = message.content || text(partsOf(message));
  return h("p", { class: `content${said.length > LONG ? " cut" : ""}`, dir: "auto" }, said);
}

function inside(message: Message, place: string, content: HTMLElement, why?: string | null): HTMLElement[] {
  const who = ({ user: "User", assistant: "Recommender", tool: "Tool" } as Record<string, string>)[message.role];
  const beyond = partsOf(message);
  const parts: HTMLElement[] = [
    h("p", { class: "who" }, who, " ", h("span", { class: "place" }, place)),
    content,
    ...(content.classList.contains("cut") ? [uncut(content)] : []),
    ...beyond.flatMap(beside),
  ];
  const titles = listed(message.recommendations);
  if (titles.length && !beyond.some((part) => part.type === "items")) {
    parts.push(h("ul", { class: "items", "aria-label": "Items shown" }, ...titles.map((title) => h("li", { dir: "auto" }, title))));
  }
  if (message.thoughts) parts.push(h("p", { class: "thoughts", dir: "auto" }, h("span", { class: "label" }, h("bdi", {}, "Thinks")), " ", message.thoughts));
  if (why) parts.push(h("p", { class: "hint", dir: "auto" }, h("span", { class: "label" }, h("bdi", {}, "Why:")), " ", why));
  return parts;
}

function uncut(content: HTMLElement): HTMLElement {
  return h("button", { type: "button", class: "link uncut", onclick: () => content.classList.toggle("cut") }, "All of it, or less");
}

function text(parts: Part[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text ?? ""] : [])).join("\n");
}
