/** The view in which a simulated user talks: to a recommender of the operator's, or to a person here. */

import type { Log, Message, SimulateAnswer, Simulator, SimulatorType } from "../../../typescript/src/index.ts";
import { events, simulate } from "../asking/api.ts";
import { download, field, h, number, labelOf } from "../basics/dom.ts";
import { Choice, judgeChoice, onChoices } from "../asking/choice.ts";
import { InputError } from "../basics/problem.ts";
import { AGE_GROUPS, PERSONAS, SIMULATORS } from "../asking/registries.ts";
import { Results } from "../basics/results.ts";
import { Transcript } from "../conversation/transcript.ts";
import { usageText } from "../verdicts/facts.ts";
import { Work } from "../basics/work.ts";
import { keepRun, runOf } from "../kept/keeping.ts";
import { writeRun } from "../kept/run_files.ts";
import type { Desk, View } from "./view.ts";

/** By type of simulated user, true where a language model speaks for it. */
const speaks = new Map(SIMULATORS.map(({ type, model }) => [type, model]));

export function simulateView({ judge }: Desk): View {
  const form = new UserForm();
  const results = new Results("session", h("h2", {}, "Session"), h("p", { class: "empty" }, "Say who the user is, and begin: the session plays here, message by message."));
  const reply = h("textarea", { rows: 3, dir: "auto" });
  const items = h("textarea", { rows: 2, dir: "auto" });
  const answering = new Work("Reply", answer);
  const desk = h("div", { class: "desk", hidden: true }, h("h2", {}, "You are the recommender"),
    field("Your reply", reply), field("Items shown with it, one a line", items), answering.element);
  const begin = new Work("Begin", start, { failing: results });
  let log: Log = { messages: [] };
  let transcript = new Transcript(log);

  async function start(signal: AbortSignal) {
    answering.abort();
    const before = { log, transcript, waits: !desk.hidden };
    log = form.log();
    transcript = new Transcript(log);
    desk.hidden = true;
    begin.tell("The user thinks…");
    const came = () => log.messages.length > 0;
    try {
      await results.draw(async (place) => {
        place.append(h("h2", {}, "Session"), transcript.element);
        const crs = form.crs.value;
        if (crs) await run(crs, signal);
        else await step(signal);
      }, came);
    } catch (error) {
      if (!came()) {
        ({ log, transcript } = before);
        desk.hidden = !before.waits;
      }
      throw error;
    }
  }

  async function run(crs: string, signal: AbortSignal) {
    for await (const { name, data } of events("/simulate", { ...form.asked(), log, crs }, signal)) {
      if (name === "message") {
        const said = data as { message: Message; rationale: string | null };
        say(said.message, said.rationale);
        begin.tell(`${log.messages.length} messages`);
      } else if (name === "done") finish(data as SimulateAnswer);
    }
  }

  async function step(signal: AbortSignal) {
    const next = await simulate({ ...form.asked(), log }, signal);
    if (next.message !== null) say({ role: "user", content: next.message, thoughts: next.thoughts }, next.rationale);
    if (next.done) {
      finish(next);
      return;
    }
    begin.tell("It is your turn.");
    desk.hidden = false;
    reply.focus();
  }

  async function answer(signal: AbortSignal) {
    const content = reply.value.trim();
    if (!content) throw new InputError("The reply is empty.");
    const shown = lines(items.value);
    say({ role: "assistant", content, ...(shown.length ? { recommendations: shown } : {}) }, null);
    reply.value = "";
    items.value = "";
    try {
      await step(signal);
    } catch (error) {
      // The reply is taken back into the form, so that it can be sent again.
      log.messages.pop();
      transcript.drop();
      reply.value = content;
      items.value = shown.join("\n");
      throw error;
    }
  }

  function say(message: Message, why: string | null) {
    log.messages.push(message);
    transcript.add(message, why);
  }

  function finish(end: SimulateAnswer, fresh = true) {
    desk.hidden = true;
    const whole: Log = { ...(end.log ?? log), complete: true };
    const why = end.detail ?? end.rationale;
    const facts = [end.item ? `item: ${end.item}` : "", end.satisfaction === null ? "" : `satisfaction ${number(end.satisfaction)} of 5`, usageText(end.usage)];
    const run = runOf("simulate", whole.id ?? labelOf(end.outcome ?? "session"), `${whole.messages.length} messages`, { log: whole, end });
    if (fresh) void keepRun(run);
    // The result first: how it came about follows.
    transcript.element.before(h("section", { class: "outcome", "aria-label": "Outcome" },
      h("p", { dir: "auto" }, h("strong", {}, labelOf(end.outcome ?? "ended")), why ? `: ${why}` : ""),
      end.removed.length ? h("p", { class: "hint" }, `A guard took out: ${end.removed.join(" ")}`) : null,
      h("p", { class: "facts" }, [`${whole.messages.length} messages`, ...facts].filter(Boolean).join(" · ")),
      h("div", { class: "row" },
        whole.messages.length ? h("button", { type: "button", class: "primary", onclick: () => judge(whole) }, "Judge this session") : null,
        h("button", { type: "button", onclick: () => void writeRun(run).then((file) => download("crs-eval.json", file)) }, "Download JSON"))));
    begin.tell("The session is over.");
  }

  function open(content: unknown) {
    const { log: whole, end } = content as { log: Log; end: SimulateAnswer };
    log = whole;
    transcript = new Transcript(whole);
    results.renew().append(h("h2", {}, "Session"), transcript.element);
    finish(end, false);
  }

  const element = h("section", { id: "view-simulate", "aria-labelledby": "simulate-title" },
    h("h1", { id: "simulate-title", tabindex: -1 }, "Simulate a user"),
    h("p", { class: "lead" }, "A simulated user talks to a recommender, or to you, and says how it went."),
    h("div", { class: "bench" }, h("div", { class: "pane" }, form.element, begin.element), h("div", { class: "pane" }, results.element, desk)));
  return { element, open, start: () => void (desk.hidden ? begin : answering).start() };
}

/** Description of the user. */
class UserForm {
  readonly element: HTMLElement;
  readonly crs = new Choice("Recommender", "none: you answer");
  readonly #type = h("select", {}, ...SIMULATORS.map(({ type, model }) => h("option", { value: type }, model ? type : `${type} (no language model)`)));
  readonly #judge = judgeChoice("Model that plays it");
  readonly #domain = h("input", { type: "text", placeholder: "movie", autocomplete: "off" });
  readonly #persona = select(PERSONAS);
  readonly #age = select(AGE_GROUPS);
  readonly #attributes = h("input", { type: "text", value: "mystery, playful" });
  readonly #wanted = h("textarea", { rows: 2 });
  readonly #preferences = h("textarea", { rows: 3 });
  readonly #seed = h("input", { type: "number", min: 0, value: 0 });

  constructor() {
    const more = h("details", {}, h("summary", {}, "More about the user"), h("div", { class: "options" },
      field("Wanted items", this.#wanted, "one a line; target needs them"), field("General preferences", this.#preferences, "target-free needs them")));
    const turn = () => {
      this.#judge.element.hidden = !this.#speaks();
      if (this.#type.value.startsWith("target")) more.open = true;
    };
    this.#type.addEventListener("change", turn);
    turn();
    onChoices(({ recommenders }) => this.crs.offer(recommenders));
    this.element = h("div", { class: "options" },
      h("div", { class: "row" }, field("Simulator", this.#type), this.#judge.element),
      h("div", { class: "row" }, this.crs.element, field("Domain", this.#domain)),
      h("div", { class: "row" }, field("Persona", this.#persona), field("Age group", this.#age), field("Seed", this.#seed)),
      field("Wanted attributes", this.#attributes, "separated by commas"),
      more);
  }

  #speaks(): boolean {
    return speaks.get(this.#type.value as SimulatorType) ?? true;
  }

  /** A log in which nothing was said yet. */
  log(): Log {
    const attributes = this.#attributes.value.split(",").map((one) => one.trim()).filter(Boolean);
    const wanted = lines(this.#wanted.value);
    const domain = this.#domain.value.trim();
    return {
      ...(domain ? { domain } : {}),
      ...(wanted.length ? { ground_truth: wanted } : {}),
      user: {
        persona: this.#persona.value || null,
        age_group: this.#age.value || null,
        attributes: attributes.length ? attributes : null,
        preferences: this.#preferences.value.trim() || null,
      },
      messages: [],
    };
  }

  /** The simulator as a request names it. */
  asked(): { simulator: Simulator } {
    const type = this.#type.value as SimulatorType;
    const judge = this.#speaks() ? this.#judge.value : "";
    return { simulator: { type, seed: this.#seed.valueAsNumber || 0, ...(judge ? { judge } : {}) } };
  }
}

function select(names: string[]): HTMLSelectElement {
  return h("select", {}, h("option", { value: "" }, "none"), ...names.map((name) => h("option", { value: name }, name)));
}

function lines(text: string): string[] {
  return text.split("\n").map((line) => line.trim()).filter(Boolean);
}
