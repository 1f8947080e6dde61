/** Errors as people read them. */

import { ProblemError } from "./api.js";
import { h } from "./dom.js";

/**
 * Show an error in place, or nothing for an answer that was stopped on purpose. Anything that is no
 * problem of the service's or the input's is a defect of the page, and thrown on.
 * @param {HTMLElement} place @param {unknown} error
 */
export function showProblem(place, error) {
  if (error instanceof DOMException && error.name === "AbortError") return;
  if (error instanceof ProblemError) place.replaceChildren(told(error.problem));
  else if (error instanceof Error && error.constructor === Error) {
    place.replaceChildren(h("div", { class: "problem" }, h("p", { class: "title" }, "This cannot be read"), h("p", {}, error.message)));
  } else throw error;
}

/** @param {import("./wire").Problem} problem */
function told(problem) {
  return h(
    "div",
    { class: "problem" },
    h("p", { class: "title" }, problem.title),
    h("p", {}, problem.detail),
    problem.errors.length
      ? h("ul", {}, ...problem.errors.map((one) => h("li", {}, h("code", {}, one.pointer || "/"), ` ${one.detail}; ${one.fix}`)))
      : null,
    h(
      "p",
      { class: "hint" },
      [problem.status ? `Status ${problem.status}` : "", problem.request_id ? `request ${problem.request_id}` : "", problem.retryable ? "trying again may help" : ""]
        .filter(Boolean)
        .join(" · "),
    ),
  );
}

/** A place where errors appear and are read out. */
export function problemPlace() {
  return h("div", { role: "alert", class: "problem-place" });
}
