/** Where in a pasted text a problem's pointer leads. */

export interface Span {
  start: number;
  end: number;
}

/** The place of a pointer such as `/log/messages/0/role`; of the nearest thing that holds it where the text lacks it. Null for a
 * text that is no JSON, or nowhere near it. */
export function locate(text: string, pointer: string): Span | null {
  const path = pointer.split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const inLog = path[0] === "log" ? path.slice(1) : path;
  const lines = lineStarts(text);
  const whole = isJson(text);
  const found = whole
    ? [path, inLog, inLog.slice(1), ["0", ...inLog], ["logs", "0", ...inLog]].map((one) => walk(text, 0, one))
    : [inLog[0] === "messages" && /^\s*\{\s*"role"/.test(text) ? onLine(text, lines[Number(inLog[1])], inLog.slice(2)) : onLine(text, lines[0], inLog), onLine(text, lines[0], path)];
  // The farther a way could be followed, the surer it is.
  const [best] = found.flatMap((one) => one ?? []).sort((a, b) => b.depth - a.depth);
  return best && best.depth > 0 ? { start: best.start, end: best.end } : null;
}

/** Where a text that begins as JSON stops being it, and why; null for JSON, for JSON in lines, and for any other text. */
export function breakIn(text: string): { at: number; why: string } | null {
  const [first = "", ...others] = text.trimStart().split("\n", 2);
  if (!/^(?:\{\s*["}]|\[\s*["[{\]])/.test(text.trimStart()) || (others.length && isJson(first))) return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    const { message } = error as SyntaxError;
    const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
    const [, position] = /position (\d+)/.exec(message) ?? [];
    const above = text.split("\n").slice(0, Number(line) - 1).join("\n").length;
    const at = position ? Number(position) : line ? above + Number(column) : text.trimEnd().length - 1;
    return { at, why: message.replace(/ ?(?:in JSON )?at (?:position|line) .*$/, "") };
  }
}

interface Found extends Span {
  depth: number;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function lineStarts(text: string): number[] {
  return [...text.matchAll(/^.*\S.*$/gm)].map((match) => match.index);
}

function onLine(text: string, start: number | undefined, path: string[]): Found | null {
  return start === undefined ? null : walk(text, start, path);
}

/** Follow a path from the value that begins at `at`, as far as it goes. */
function walk(text: string, at: number, path: string[]): Found | null {
  let span: Span = { start: skip(text, at), end: endOf(text, at) };
  let value = span.start;
  for (const [depth, name] of path.entries()) {
    const next = children(text, value).find((one) => one.name === name);
    if (!next) return { ...span, depth };
    span = { start: next.start, end: next.end };
    value = next.value;
  }
  return { ...span, depth: path.length };
}

interface Child extends Span {
  name: string;
  value: number;
}

/** The members of the object or list that begins at `at`; a member of an object begins with its name. */
function children(text: string, at: number): Child[] {
  const open = text[at];
  if (open !== "{" && open !== "[") return [];
  const made: Child[] = [];
  let place = skip(text, at + 1);
  while (place < text.length && text[place] !== "}" && text[place] !== "]") {
    const start = place;
    let name = String(made.length);
    if (open === "{") {
      const end = endOf(text, place);
      name = String(JSON.parse(text.slice(place, end)));
      place = skip(text, skip(text, end) + 1);
    }
    const end = endOf(text, place);
    made.push({ name, start, value: place, end });
    place = skip(text, end);
    if (text[place] === ",") place = skip(text, place + 1);
  }
  return made;
}

function skip(text: string, at: number): number {
  while (/\s/.test(text[at] ?? "x")) at++;
  return at;
}

/** Where the value that begins at `at` ends. */
function endOf(text: string, at: number): number {
  const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]]|[^\s{}[\],:"]+/gsu;
  tokens.lastIndex = skip(text, at);
  let depth = 0;
  for (let match = tokens.exec(text); match; match = tokens.exec(text)) {
    if (match[0] === "{" || match[0] === "[") depth++;
    else if (match[0] === "}" || match[0] === "]") depth--;
    if (depth <= 0) return tokens.lastIndex;
  }
  return text.length;
}
