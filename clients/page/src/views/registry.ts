/** The views, in the order of their links. A view is one module that makes it, and a row here. */

import { compareView } from "./compare.ts";
import { debateView } from "./debate.ts";
import { examView } from "./exam.ts";
import { labelView } from "./label.ts";
import { scoreView } from "./score.ts";
import { simulateView } from "./simulate.ts";
import type { ViewKind } from "./view.ts";

export const JUDGING = "score";

export const VIEWS: ViewKind[] = [
  { name: JUDGING, label: "Judge", make: scoreView },
  { name: "debate", label: "Debate", make: debateView },
  { name: "simulate", label: "Simulate", make: simulateView },
  { name: "compare", label: "Compare", make: compareView },
  { name: "exam", label: "Exam", make: examView },
  { name: "label", label: "Label", make: labelView },
];
