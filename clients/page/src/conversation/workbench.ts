/** One conversation with what was said of it. */

import type { Log, Verdict } from "../../../typescript/src/index.ts";
import { h } from "../basics/dom.ts";
import { walk } from "../basics/keys.ts";
import type { Answer } from "../many/rows.ts";
import { Conclusion, saidOnce } from "../verdicts/conclusion.ts";
import { worstMessage, type Shown } from "../verdicts/facts.ts";
import { Verdicts } from "../verdicts/verdicts.ts";
import { Transcript } from "./transcript.ts";

/** Widths at which conversation and verdicts are one stream. */
const NARROW = matchMedia("(max-width: 899px)");

/** The conclusion above, transcript and verdicts side by side below, each pointing at the other; narrow, verdicts stand under
 * the message that they are about. Without a log, the verdicts alone. */
export function workbench(place: HTMLElement, log: Log | null, shown: Shown[]) {
  const transcript = log && new Transcript(log, (factor) => verdicts.select(factor, true));
  const show = (message: number, fault?: string) => transcript?.show(message, fault);
  const verdicts = new Verdicts(shown, transcript ? { onSelect: (verdict) => transcript.highlight(verdict), onMessage: show } : {});
  const conclusion = new Conclusion({
    name: (factor) => verdicts.nameOf(factor), select: (factor) => verdicts.select(factor, true), ...(transcript ? { show } : {}),
  });
  const heading = (text: string) => h("h2", {}, text);
  const cards = h("div", { class: "pane" }, heading("Verdicts"), verdicts.element);
  place.append(conclusion.element, transcript
    ? h("div", { class: "bench" },
      h("div", { class: "pane beside", role: "region", "aria-label": "Messages", tabindex: 0 }, heading("Conversation"), transcript.element), cards)
    : cards);
  walk(cards, ".card, .bar.failed");
  if (transcript) walk(transcript.element, ".message, .card, .bar.failed"); // on a phone verdicts stand under messages

  function arrange() {
    if (!place.isConnected) NARROW.removeEventListener("change", arrange);
    const under = (verdict: Verdict) => {
      const message = worstMessage(verdict);
      return message === null ? null : transcript?.slot(message) ?? null;
    };
    verdicts.place(NARROW.matches && transcript ? under : null);
  }

  /** No more will come. */
  function end() {
    verdicts.end(saidOnce(verdicts.all));
    transcript?.fault(verdicts.all);
    arrange();
    NARROW.addEventListener("change", arrange);
  }
  return {
    add(verdict: Verdict) {
      verdicts.add(verdict);
      transcript?.cite(verdict);
    },
    finish(answer: Answer) {
      conclusion.show(answer);
    },
    end,
    show,
  };
}
