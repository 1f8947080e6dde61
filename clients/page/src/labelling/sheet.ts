/** A sheet for labelling as `crs-eval label sample` writes it, and the order in which one annotator reads it. */

import type { Log } from "../../../typescript/src/index.ts";
import { generator } from "../basics/statistics.ts";

/** A factor as a question: its levels from the best down. */
export interface Question {
  slug: string;
  name: string;
  question: string;
  levels: { level: number; standard: string }[];
  steps: string[];
  excludes: string[];
  notes: Record<string, string>;
}

/** A conversation without its system. `key` holds what an export says of it, in a form that nobody reads by chance. */
export interface Item {
  key: string;
  domain: string;
  log: Log;
  wanted: string[];
  user: string[];
}

export interface Sheet {
  id: string;
  repeats: number;
  questions: Question[];
  items: Item[];
}

/** A conversation to be read: `item` is its index, `again` is set where it comes for the second time. */
export interface Place {
  item: number;
  again: boolean;
}

/** All places in the order of one annotator. Each has an order of their own, so that what tires them falls on other
 * conversations than what tires the next; some of the first conversations come again in the second half. */
export function places(sheet: Sheet, annotator: string): Place[] {
  const random = generator(hash(`${sheet.id}/${annotator}`));
  const order = sheet.items.map((_, item) => item);
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  const all: Place[] = order.map((item) => ({ item, again: false }));
  const repeated = all.slice(0, sheet.repeats);
  const half = Math.ceil(all.length / 2);
  // From the back, so that what is inserted moves no place that is still to be found.
  for (let index = repeated.length - 1; index >= 0; index--) {
    const at = half + Math.floor(((index + 1) * (order.length - half)) / (repeated.length + 1));
    all.splice(at, 0, { item: repeated[index]!.item, again: true });
  }
  return all;
}

/** 32 bits of a text (FNV-1a). */
export function hash(text: string): number {
  let state = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) state = Math.imul(state ^ byte, 0x01000193);
  return state >>> 0;
}
