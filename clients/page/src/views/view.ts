/** Interface of a view to the page. */

import type { Log } from "../../../typescript/src/index.ts";
import type { Picker } from "../asking/picker.ts";
import type { Answer } from "../many/rows.ts";

/** Parts that views share. */
export interface Desk {
  /** The text of a conversation, of whichever view has a slot for it. */
  picker: Picker;
  /** Judge a conversation in the judging view. */
  judge: (log: Log) => void;
  /** Show a conversation there that was judged elsewhere; null where only its verdicts are known. */
  show: (log: Log | null, answer: Answer, name: string, at?: Place) => void;
}

/** A fault of a message, to be brought into sight. */
export interface Place {
  message: number;
  fault: string;
}

export interface View {
  element: HTMLElement;
  /** Place of the shared picker. */
  slot?: HTMLElement;
  /** Do what the view's main button does. */
  start: () => void;
  /** Show a run that was kept; `content` is what the view made of it. */
  open?: (content: unknown) => void | Promise<void>;
  /** Called when the view comes into sight for the first time. */
  shown?: () => void | Promise<void>;
  /** Called whenever it comes into sight again. */
  again?: () => void;
  /** Take a text that was pasted beside every field. */
  pasted?: (text: string) => void;
  /** Take files that were dropped beside every field. */
  dropped?: (files: FileList) => void;
  /** Called when an example was picked while the view is in sight. */
  picked?: () => void;
}

/** A view that the page offers. */
export interface ViewKind {
  /** Its place in the address. */
  name: string;
  /** Its link. */
  label: string;
  make: (desk: Desk) => View;
}
