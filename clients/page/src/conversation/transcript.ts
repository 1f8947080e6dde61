/** A conversation to read, in which verdicts can point at messages and messages at verdicts. */

import type { Log, Message, Part, Verdict } from "../../../typescript/src/index.ts";
import { h, labelOf } from "../basics/dom.ts";
import { citedBy, levelClass, shareOf } from "../verdicts/facts.ts";
import { faultsOf } from "../verdicts/faults.ts";
import { faultNote } from "./fault.ts";
import { marked } from "./marked.ts";
import { beside, listed, partsOf } from "./shown.ts";

/** A text with more signs is cut until somebody asks for the rest. */
const LONG = 900;

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
      h("div", { class: "bubble" }, ...inside(message, String(this.#rows.length), content, why), h("p", { class: "cited-by" }), h("div", { class: "faults" })));
    this.#rows.push({ element, content, text: content.textContent ?? "" });
    if (saysSomething(message)) this.element.append(element);
  }

  /** Take the last message back. */
  drop() {
    this.#rows.pop()?.element.remove();
  }

  /** Let the messages that a verdict cites point back at it, where no faults will: its judge lists none. */
  cite(verdict: Verdict) {
    if (listsFaults(verdict)) return;
    const share = shareOf(verdict);
    for (const index of citedBy(verdict)) {
      const text = labelOf(verdict.factor);
      this.#rows[index]?.element.querySelector(".cited-by")?.append(h("button", {
        type: "button", class: "chip", "data-factor": verdict.factor,
        "aria-label": `${text} cites this message: show the verdict`, onclick: () => this.#onFactor?.(verdict.factor),
      }, share === null ? null : h("span", { class: `dot ${levelClass(share)}` }), text));
    }
  }

  /** Name the faults of each reply under it. */
  fault(verdicts: Verdict[]) {
    for (const found of faultsOf(verdicts)) {
      const row = found.message === null ? undefined : this.#rows[found.message];
      row?.element.querySelector(".faults")?.append(faultNote(found, (open) => this.#quote(row, open ? found.quotes : []), this.#onFactor));
    }
  }

  #quote({ content, text }: Row, quotes: string[]) {
    content.replaceChildren(...marked(text, quotes));
    if (content.querySelector("mark")) content.classList.remove("cut");
  }

  /** Highlight what a verdict cites; null clears. */
  highlight(verdict: Verdict | null) {
    const cited = new Set(verdict ? citedBy(verdict) : []);
    for (const [index, row] of this.#rows.entries()) {
      const { element } = row;
      element.classList.toggle("cited", cited.has(index));
      this.#quote(row, (verdict?.evidence ?? []).flatMap((one) => (one.message === index && one.quote ? [one.quote] : [])));
      for (const chip of element.querySelectorAll<HTMLElement>(".chip[data-factor]")) chip.classList.toggle("on", chip.dataset.factor === verdict?.factor);
    }
  }

  /** Bring a message into view and move the focus there; open the note of its `fault`. */
  show(index: number, fault?: string) {
    const element = this.#rows[index]?.element;
    if (fault) for (const note of element?.querySelectorAll<HTMLDetailsElement>(`[data-fault="${fault}"]`) ?? []) note.open = true;
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: "nearest" });
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

/** The embedded judge lists faults, and models that are asked for them. */
function listsFaults({ method, faults, panel }: Verdict): boolean {
  return Boolean(faults?.length) || (!panel?.length && (method ?? "faults") === "faults");
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
