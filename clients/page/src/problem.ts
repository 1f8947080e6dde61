/** Errors as people read them. */

import { CrsEvalError, UnreachableError, type Problem } from "../../typescript/src/index.ts";
import { h } from "./dom.ts";

/** What a person gave that cannot be worked with; the message says why. */
export class InputError extends Error {}

/** Show an error in place, or nothing for an answer that was stopped on purpose. Anything that is no
 * problem of the service's or the input's is a defect of the page, and thrown on. */
export function showProblem(place: HTMLElement, error: unknown) {
  if (error instanceof DOMException && error.name === "AbortError") return;
  if (error instanceof CrsEvalError) place.replaceChildren(told({ status: error.status, ...error.problem }));
  else if (error instanceof UnreachableError) place.replaceChildren(told({ title: "The service did not answer", detail: error.message, retryable: true }));
  else if (error instanceof InputError) place.replaceChildren(told({ title: "This cannot be read", detail: error.message }));
  else throw error;
}

function told(problem: Partial<Problem>): HTMLElement {
  const facts = [
    problem.status ? `Status ${problem.status}` : "",
    problem.request_id ? `request ${problem.request_id}` : "",
    problem.retryable ? "trying again may help" : "",
  ].filter(Boolean);
  return h("div", { class: "problem" },
    h("p", { class: "title" }, problem.title ?? "The service refused"),
    h("p", {}, problem.detail),
    problem.errors?.length
      ? h("ul", {}, ...problem.errors.map((one) => h("li", {}, h("code", {}, one.pointer || "/"), ` ${one.detail}; ${one.fix}`)))
      : null,
    facts.length ? h("p", { class: "hint" }, facts.join(" · ")) : null);
}

/** A place where errors appear and are read out. */
export function problemPlace(): HTMLElement {
  return h("div", { role: "alert", class: "problem-place" });
}
