/** One conversation with what was said of it. */

import type { Log, Verdict } from "../../typescript/src/index.ts";
import { h } from "./dom.ts";
import type { Answer } from "./rows.ts";
import { Transcript } from "./transcript.ts";
import { Verdicts, type Shown } from "./verdicts.ts";

/** Scores above, transcript and verdicts side by side below, each pointing at the other; without a log, the verdicts alone. */
export function workbench(place: HTMLElement, log: Log | null, shown: Shown[]) {
  const transcript = log && new Transcript(log, (factor) => verdicts.select(factor, true));
  const verdicts = new Verdicts(shown, transcript ? {
    onSelect: (verdict) => transcript.highlight(verdict),
    onMessage: (message) => transcript.show(message),
  } : {});
  const heading = (text: string) => h("h3", {}, text);
  const cards = h("div", { class: "pane", hidden: !shown.length }, heading("Verdicts"), verdicts.cardList);
  place.replaceChildren(heading("Scores"), verdicts.overview, transcript
    ? h("div", { class: "bench" },
      h("div", { class: "pane beside", role: "region", "aria-label": "Conversation", tabindex: 0 }, heading("Conversation"), transcript.element), cards)
    : cards);
  /** No more will come. */
  function end() {
    verdicts.end();
    cards.hidden = !verdicts.cardList.hasChildNodes();
  }
  return {
    add(verdict: Verdict) {
      verdicts.add(verdict);
      transcript?.cite(verdict);
    },
    finish(answer: Answer) {
      verdicts.finish(answer);
      end();
    },
    end,
  };
}
