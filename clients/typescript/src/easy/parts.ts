// Builders of the parts of a message. Each takes only the fields that its type has.
import type { ItemLayout, Part, ShownItem } from '../generated/index.ts';

export function text(text: string): Part {
  return { type: 'text', text };
}

/** Items that the user sees as cards, in order. */
export function items(items: ShownItem[], layout?: ItemLayout): Part {
  return { type: 'items', items, layout };
}

/** A call of the tool `name`; `arguments` are JSON text. */
export function toolCall(name: string, more: Pick<Part, 'arguments' | 'id'> = {}): Part {
  return { type: 'tool_call', name, ...more };
}

/** What a tool answered to the call with the id `call`; `error` is true if the tool failed. */
export function toolResult(content: string, more: Pick<Part, 'call' | 'name' | 'error'> = {}): Part {
  return { type: 'tool_result', content, ...more };
}

/** A picture; judges read `alt`. */
export function image(fields: Pick<Part, 'alt' | 'url'>): Part {
  return { type: 'image', ...fields };
}
