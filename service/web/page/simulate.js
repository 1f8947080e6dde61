/** The view in which a simulated user talks: to a recommender of the operator's, or to a person here. */

import { events, post } from "./api.js";
import { field, h, number, told } from "./dom.js";
import { Transcript } from "./transcript.js";
import { Work } from "./work.js";
import { usageText } from "./verdicts.js";

/** @import { Log, Message, SimulateAnswer } from "./wire" */

const PERSONAS = ["", "anticipation", "boredom", "confusion", "curiosity", "delight", "disappointment", "excitement", "frustration", "indifference", "surprise", "trust", "satisfaction"];
const AGES = ["", "children", "teens", "adults", "seniors"];
const TYPES = [["scripted", "scripted (no language model)"], ["persona", "persona"], ["target", "target"], ["target-free", "target-free"]];

/** @param {(log: Log) => void} onJudge what happens to a session that is to be judged */
export function simulateView(onJudge) {
  const form = new UserForm();
  const place = h("div", { class: "session" });
  const reply = h("textarea", { rows: 3 });
  const items = h("textarea", { rows: 2 });
  const answering = new Work("Reply", (signal) => answer(signal));
  const desk = h("div", { class: "desk", hidden: true }, h("h3", {}, "You are the recommender"),
    field("Your reply", reply), field("Items shown with it, one a line", items), answering.element);
  const begin = new Work("Begin", (signal) => start(signal));
  /** @type {Log} */
  let log = { messages: [] };
  let transcript = new Transcript(log);

  /** @param {AbortSignal} signal */
  async function start(signal) {
    answering.controller?.abort();
    log = form.log();
    transcript = new Transcript(log);
    place.replaceChildren(h("h3", {}, "Session"), transcript.element);
    desk.hidden = true;
    begin.tell("The user thinks…");
    const crs = form.crs.value.trim();
    if (crs) await run(crs, signal);
    else await step(signal);
  }

  /** @param {string} crs @param {AbortSignal} signal */
  async function run(crs, signal) {
    for await (const { name, data } of events("simulate", { ...form.asked(), log, crs }, signal)) {
      if (name === "message") {
        say(data.message, data.rationale);
        begin.tell(`${log.messages.length} messages`);
      } else if (name === "done") finish(data);
    }
  }

  /** @param {AbortSignal} signal */
  async function step(signal) {
    /** @type {SimulateAnswer} */
    const next = await post("simulate", { ...form.asked(), log }, signal);
    if (next.message !== null) say({ role: "user", content: next.message, thoughts: next.thoughts }, next.rationale);
    if (next.done) {
      finish(next);
      return;
    }
    begin.tell("It is your turn.");
    desk.hidden = false;
    reply.focus();
  }

  /** @param {AbortSignal} signal */
  async function answer(signal) {
    const content = reply.value.trim();
    if (!content) throw new Error("The reply is empty.");
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

  /** @param {Message} message @param {string | null} why */
  function say(message, why) {
    log.messages.push(message);
    transcript.add(message, why);
  }

  /** @param {SimulateAnswer} end */
  function finish(end) {
    desk.hidden = true;
    const whole = { ...(end.log ?? log), complete: true };
    const facts = [end.item ? `item: ${end.item}` : "", end.satisfaction === null ? "" : `satisfaction ${number(end.satisfaction)} of 5`, usageText(end.usage)];
    place.append(h("div", { class: "outcome" },
      h("p", {}, h("strong", {}, told(end.outcome ?? "ended")), end.detail ? ` ${end.detail}` : end.rationale ? ` ${end.rationale}` : ""),
      end.removed.length ? h("p", { class: "hint" }, `A guard took out: ${end.removed.join(" ")}`) : null,
      h("p", { class: "facts" }, facts.filter(Boolean).join(" · ")),
      whole.messages.length ? h("button", { type: "button", onclick: () => onJudge(whole) }, "Judge this session") : null));
    begin.tell("The session is over.");
  }

  const element = h("section", { id: "view-simulate", "aria-labelledby": "simulate-title" },
    h("h2", { id: "simulate-title", tabindex: -1 }, "Simulate a user"),
    h("div", { class: "bench" }, h("div", { class: "pane" }, form.element, begin.element), h("div", { class: "pane" }, place, desk)));
  return { element };
}

/** Who the user is. */
class UserForm {
  constructor() {
    const text = (/** @type {string} */ placeholder) => h("input", { type: "text", placeholder, autocomplete: "off" });
    this.type = h("select", {}, ...TYPES.map(([value, name]) => h("option", { value }, name)));
    this.judge = text("the operator's default");
    this.crs = text("none: you answer");
    this.domain = text("movie");
    this.persona = h("select", {}, ...PERSONAS.map((value) => h("option", { value }, value || "none")));
    this.age = h("select", {}, ...AGES.map((value) => h("option", { value }, value || "none")));
    this.attributes = h("input", { type: "text", value: "mystery, playful" });
    this.wanted = h("textarea", { rows: 2 });
    this.preferences = h("textarea", { rows: 3 });
    this.seed = h("input", { type: "number", min: 0, value: 0 });
    this.element = h("div", { class: "options" },
      h("div", { class: "row" }, field("Simulator", this.type), field("Model that plays it", this.judge, "for all but scripted")),
      h("div", { class: "row" }, field("Recommender", this.crs, "a name that the operator configured"), field("Domain", this.domain)),
      h("div", { class: "row" }, field("Persona", this.persona), field("Age group", this.age), field("Seed", this.seed)),
      field("Wanted attributes", this.attributes, "separated by commas"),
      h("details", {}, h("summary", {}, "More about the user"), h("div", { class: "options" },
        field("Wanted items", this.wanted, "one a line; target needs them"), field("General preferences", this.preferences, "target-free needs them"))));
  }

  /** A log in which nothing was said yet. @returns {Log} */
  log() {
    const attributes = this.attributes.value.split(",").map((one) => one.trim()).filter(Boolean);
    const wanted = lines(this.wanted.value);
    return {
      ...(this.domain.value.trim() ? { domain: this.domain.value.trim() } : {}),
      ...(wanted.length ? { ground_truth: wanted } : {}),
      user: {
        persona: this.persona.value || null,
        age_group: this.age.value || null,
        attributes: attributes.length ? attributes : null,
        preferences: this.preferences.value.trim() || null,
      },
      messages: [],
    };
  }

  /** The simulator as a request names it. */
  asked() {
    const judge = this.judge.value.trim();
    return { simulator: { type: this.type.value, seed: this.seed.valueAsNumber || 0, ...(judge && this.type.value !== "scripted" ? { judge } : {}) } };
  }
}

/** @param {string} text */
function lines(text) {
  return text.split("\n").map((line) => line.trim()).filter(Boolean);
}
