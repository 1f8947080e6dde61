/** The view of live conversations: the last, the worst, the trend of each factor, alarms. */

import { arrange, decimal, field, h, number, labelOf, type Child } from "../basics/dom.ts";
import { CrsEvalError, UnreachableError } from "../../../typescript/src/index.ts";
import { keyText } from "../basics/service_key.ts";
import { levelClass } from "../verdicts/facts.ts";
import { judgement, summary, type Alarm, type Head, type Judged, type JudgedVerdict, type Series, type Summary } from "./summary.ts";
import { lastOf, sparkline } from "./trend.ts";

interface Said {
  role: string;
  content: string | null;
}

/** Milliseconds between two looks. */
const OFTEN = 2000;
const RATES = { drop: "less frequent than before", rise: "more frequent than before" };
const CHANGES = { drop: "lower than before", rise: "higher than before", recovered: "as before again" };
const HEADS = ["Conversation", "System", "Faults", "Ended", "Judged", "Mean"];
const ENDS = { complete: "complete", idle: "went quiet", in_progress: "in progress" };

export class LiveView {
  readonly element: HTMLElement;
  readonly #status = h("p", { class: "hint", role: "status" });
  readonly #system = h("select", { onchange: () => void this.look() }, h("option", { value: "" }, "all systems"));
  readonly #span = h("select", { onchange: () => void this.look() }, h("option", { value: "hour" }, "hours of two days"), h("option", { value: "day" }, "days of four weeks"));
  readonly #alarms = h("ul", { class: "alarms" });
  readonly #last = h("tbody");
  readonly #worst = h("tbody");
  readonly #trend = h("tbody");
  readonly #judged = h("dialog", { class: "judged", "aria-labelledby": "judged-title" });
  #looks = 0;

  constructor() {
    this.element = h("section", { "aria-labelledby": "live-title" },
      h("h1", { id: "live-title", tabindex: -1 }, "Live conversations"),
      h("p", { class: "lead" }, "Conversations as they are judged. Means are on 0 to 1; bars are 95 % intervals."),
      h("div", { class: "row" }, field("System", this.#system), field("Trend by", this.#span)),
      this.#status,
      part("Alarms", this.#alarms),
      h("div", { class: "live-lists" }, part("Last judged", table(HEADS, this.#last)), part("Worst first", table(HEADS, this.#worst))),
      part("Trend by factor", table(["System", "Factor", "Judge", "Trend", "Now"], this.#trend)),
      this.#judged);
  }

  /** Look again and again while somebody does. */
  async follow(): Promise<never> {
    for (;;) {
      if (!document.hidden) await this.look();
      await new Promise((resolve) => setTimeout(resolve, OFTEN));
    }
  }

  /** Show what there is now. */
  async look() {
    const mine = ++this.#looks;
    try {
      const found = await summary(this.#system.value, this.#span.value);
      if (mine === this.#looks) this.#show(found);
    } catch (error) {
      if (!(error instanceof CrsEvalError || error instanceof UnreachableError)) throw error;
      tell(this.#status, problemText(error));
    }
  }

  #show({ level, systems, conversations, worst, trend, alarms }: Summary) {
    const { open, due, queued, undelivered } = level;
    tell(this.#status, `${open} open, ${due} of them due; ${queued} posts and ${undelivered} events wait.`);
    const chosen = this.#system.value;
    const options = [h("option", { value: "" }, "all systems"), ...systems.map((name) => h("option", { value: name }, name || "unnamed"))];
    if (options.length !== this.#system.options.length) this.#system.replaceChildren(...options);
    this.#system.value = chosen;
    renew(this.#alarms, alarms, (alarm) => alarm.id, (alarm) => this.#alarm(alarm), h("li", { class: "empty" }, "None."));
    renew(this.#trend, trend, (one) => JSON.stringify(one), seriesRow, empty(5));
    renew(this.#last, conversations, keyOf, (one) => this.#row(one), empty(HEADS.length));
    renew(this.#worst, worst, keyOf, (one) => this.#row(one), empty(HEADS.length));
  }

  #alarm({ at, system, factor, fault, change, expected, mean, conversations, shown }: Alarm): HTMLElement {
    const bad = change === (fault ? "rise" : "drop");
    return h("li", { class: `alarm ${bad ? "bad" : change}` },
      h("strong", {}, `${labelOf(fault ?? factor)} of ${system || "the unnamed system"} is ${fault && change !== "recovered" ? RATES[change] : CHANGES[change]}`),
      ` (${decimal(mean)} over ${conversations} conversations; ${decimal(expected)} expected), `, time(at), ". ",
      shown.length ? "Shown by " : null, ...shown.flatMap((name) => [this.#open(name), " "]));
  }

  #row(head: Head): HTMLElement {
    return h("tr", {},
      h("th", { scope: "row" }, this.#open(head.conversation)), h("td", {}, head.system), h("td", {}, head.faults.map(labelOf).join(", ")), h("td", {}, ENDS[head.ended]), h("td", {}, time(head.judged_at)),
      head.mean === null ? h("td", { class: "none" }, head.failure ?? "no score") : h("td", { class: "number score", "--share": head.mean }, decimal(head.mean)));
  }

  #open(conversation: string): HTMLElement {
    return h("button", { type: "button", class: "link", onclick: () => void this.#judgement(conversation) }, h("bdi", {}, conversation));
  }

  async #judgement(conversation: string) {
    this.#judged.replaceChildren(h("p", { role: "status" }, "…"));
    this.#judged.showModal();
    try {
      this.#judged.replaceChildren(...judgedParts(await judgement(conversation)));
    } catch (error) {
      if (!(error instanceof CrsEvalError || error instanceof UnreachableError)) throw error;
      this.#judged.replaceChildren(h("h2", { id: "judged-title" }, conversation), h("p", { class: "failure" }, problemText(error)));
    }
    this.#judged.append(h("form", { method: "dialog" }, h("button", {}, "Close")));
  }
}

function judgedParts({ conversation, revision, messages, replies, failure, verdicts, faults = [], log }: Judged): HTMLElement[] {
  return [
    h("h2", { id: "judged-title" }, conversation),
    h("p", { class: "hint" }, `Revision ${revision}, ${messages} messages, ${replies} replies${failure ? `; not judged: ${failure}` : ""}`),
    faults.length ? h("p", { class: "faults" }, ...faults.map((one) => h("span", { class: "fault" }, `${labelOf(one.fault)}: message ${one.messages.join(", ")}`))) : h("p", { class: "hint" }, "No fault was found."),
    ...verdicts.map(verdictPart),
    ...(log ? [h("h3", {}, "Conversation"), h("ol", { class: "said", start: 0 }, ...(log.messages as Said[]).map(({ role, content }) => h("li", { dir: "auto" }, h("strong", {}, `${role}: `), content)))] : []),
  ];
}

function verdictPart(verdict: JudgedVerdict): HTMLElement {
  const { factor, status, score, scale_min, scale_max, reason, flags, judge, rationale, evidence } = verdict;
  const share = score === null || scale_max === scale_min ? null : (score - scale_min) / (scale_max - scale_min);
  const places = evidence.filter((one) => one.message !== null).map((one) => `message ${one.message}${one.effect ? ` (${number(one.effect)})` : ""}`);
  return h("article", { class: "card", "aria-label": labelOf(factor) },
    h("h3", { class: "bar" }, h("span", { class: "name" }, labelOf(factor)),
      h("span", { class: "track" }, share === null ? null : h("span", { class: `fill ${levelClass(share)}`, "--share": share })),
      h("span", { class: "value" }, score === null ? status.replaceAll("_", " ") : `${number(score)} of ${scale_max}`)),
    rationale ? h("p", { class: "rationale", dir: "auto" }, rationale) : null,
    h("p", { class: "facts" }, [reason, ...places, ...flags, judge].filter(Boolean).join(" · ")));
}

function seriesRow({ system, factor, judge, estimated, points }: Series): HTMLElement {
  return h("tr", {}, h("th", { scope: "row" }, system), h("td", {}, labelOf(factor)), h("td", {}, estimated ? `${judge}, estimated` : judge), h("td", {}, sparkline(points, labelOf(factor))), h("td", { class: "number" }, lastOf(points)));
}

function keyOf(head: Head): string {
  return `${head.revision} ${head.conversation}`;
}

function part(title: string, ...children: Child[]): HTMLElement {
  return h("section", { "aria-label": title }, h("h2", {}, title), ...children);
}

/** A table whose last column holds numbers. */
function table(heads: string[], body: HTMLElement): HTMLElement {
  const last = heads.length - 1;
  return h("div", { class: "scroll", tabindex: 0, role: "group" }, h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((head, place) => h("th", { scope: "col", class: place === last ? "number" : "" }, head)))), body));
}

function empty(columns: number): HTMLElement {
  return h("tr", {}, h("td", { colspan: columns, class: "none" }, "Nothing yet."));
}

function time(at: string): HTMLElement {
  return h("time", { datetime: at }, new Date(at).toLocaleString(undefined, { dateStyle: "short", timeStyle: "medium" }));
}

function problemText(error: CrsEvalError | UnreachableError): string {
  return error instanceof CrsEvalError && error.status === 401 ? keyText() : error.message;
}

/** Say something, unless it stands there: what is said again would be read out again. */
function tell(place: HTMLElement, text: string) {
  if (place.textContent !== text) place.textContent = text;
}

/** Put these into a list, and keep those elements that stand there. */
function renew<T>(place: HTMLElement, items: T[], keyOfItem: (item: T) => string, make: (item: T) => HTMLElement, none: HTMLElement) {
  const before = new Map([...place.children].map((child) => [(child as HTMLElement).dataset["key"], child]));
  const now = items.map((item) => {
    const key = keyOfItem(item);
    const known = before.get(key);
    if (known) return known;
    const made = make(item);
    made.dataset["key"] = key;
    return made;
  });
  arrange(place, now.length ? now : [place.querySelector(":scope > :not([data-key])") ?? none]);
}
