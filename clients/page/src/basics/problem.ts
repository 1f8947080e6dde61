/** Errors as people read them. */

import { CrsEvalError, UnreachableError, type Problem } from "../../../typescript/src/index.ts";
import { h, prose } from "./dom.ts";
import { askServiceKey, keyText } from "./service_key.ts";

/** Unusable input of a person; the message says why. */
export class InputError extends Error {
  /** The place in the text where it went wrong. */
  readonly at: number | undefined;

  constructor(message: string, at?: number) {
    super(message);
    this.at = at;
  }
}

/** Ways to mend a problem. */
export interface Remedies {
  /** Try once more. */
  retry?: () => void;
  /** Read the text as a format of somebody else's, and leave out what does not fit. */
  reread?: () => void;
  /** Show where in the text a pointer leads, or the place that follows `@`; null where it leads nowhere. */
  point?: (pointer: string) => { excerpt: string; show: () => void } | null;
}

/** Show an error in place, or nothing for an answer that was stopped on purpose. Anything that is no
 * problem of the service's or the input's is a defect of the page, and thrown on. */
export function showProblem(place: HTMLElement, error: unknown, remedies: Remedies = {}) {
  if (error instanceof DOMException && error.name === "AbortError") return;
  place.replaceChildren(problemBox(problemOf(error), remedies, error instanceof InputError && error.at !== undefined ? `@${error.at}` : undefined));
  place.scrollIntoView({ block: "nearest" });
}

function problemOf(error: unknown): Partial<Problem> {
  if (error instanceof CrsEvalError) return { status: error.status, ...error.problem };
  if (error instanceof UnreachableError) return { title: "The service did not answer", detail: `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}. Is it still running?`, retryable: true };
  if (error instanceof InputError) return { title: "The input needs a change", detail: error.message };
  throw error;
}

function problemBox(problem: Partial<Problem>, { retry, point, reread }: Remedies, place?: string): HTMLElement {
  const facts = [
    problem.status ? `Status ${problem.status}` : "",
    problem.request_id ? `request ${problem.request_id}` : "",
    problem.retryable && !retry ? "trying again may help" : "",
  ].filter(Boolean);
  const errors = problem.errors ?? [];
  return h("div", { class: "problem" },
    h("p", { class: "title" }, problem.title ?? "The service refused"),
    ...problem.status === 401 ? keyWanted() : [],
    errors.length  // of which the detail repeats the first
      ? h("ul", {}, ...errors.map((one) => h("li", {}, h("code", {}, one.pointer || "/"), " ", ...prose(`${one.detail}; ${one.fix}`), where(one.pointer, point))))
      : problem.status !== 401 && h("p", {}, ...prose(problem.detail ?? "")),
    where(place, point),
    problem.status === 422 && reread && errors.some((one) => one.pointer.startsWith("/log"))
      ? h("p", {}, h("button", { type: "button", onclick: reread }, "Leave out what does not fit")) : null,
    problem.retryable && retry ? h("p", {}, h("button", { type: "button", onclick: retry }, "Try again")) : null,
    facts.length ? h("p", { class: "hint" }, facts.join(" · ")) : null);
}

function where(pointer: string | undefined, point: Remedies["point"]): HTMLElement | null {
  const found = pointer ? point?.(pointer) : null;
  return found ? h("div", { class: "where" }, h("pre", { dir: "auto" }, found.excerpt), h("button", { type: "button", onclick: found.show }, "Show it in the text")) : null;
}

/** A refusal for want of a key, as it concerns the field that this page has for it. */
function keyWanted(): HTMLElement[] {
  askServiceKey();
  return [
    h("p", {}, keyText()),
    h("p", { class: "hint" }, "A key is a text that the operator of the service gave you. It stays in this page's memory."),
    h("p", {}, h("button", { type: "button", onclick: askServiceKey }, "Give the key")),
  ];
}

/** A place where errors appear and are read out. */
export function problemPlace(): HTMLElement {
  return h("div", { role: "alert", class: "problem-place" });
}
