/** Quotes marked in the text that they stand in. */

import { h } from "../basics/dom.ts";

/** The text with each quote marked where it first stands. */
export function marked(text: string, quotes: string[]): (string | HTMLElement)[] {
  const spans = quotes.flatMap((quote) => {
    const start = text.indexOf(quote);
    return start < 0 ? [] : [{ start, end: start + quote.length }];
  });
  spans.sort((a, b) => a.start - b.start);
  const parts: (string | HTMLElement)[] = [];
  let at = 0;
  for (const { start, end } of spans) {
    if (start < at) continue;
    parts.push(text.slice(at, start), h("mark", {}, text.slice(start, end)));
    at = end;
  }
  return [...parts, text.slice(at)];
}
