/** An annotator's answers: kept in the browser as they are given, exported as ratings in JSON Lines. */

import type { Place, Sheet } from "./sheet.ts";

/** The level of each question by its slug; null where the annotator cannot say. */
export type Answers = Record<string, number | null>;

const MARK = "crs-eval-label";

/** The answers of one annotator to one sheet. */
export class Labels {
  /** False where this browser keeps nothing: what is not exported is then lost. */
  kept = true;
  readonly annotator: string;
  readonly #sheet: Sheet;
  readonly #answers = new Map<string, Answers>();

  constructor(sheet: Sheet, annotator: string) {
    this.#sheet = sheet;
    this.annotator = annotator;
    for (const [name, value] of stored()) {
      if (name.startsWith(this.#name(""))) this.#answers.set(name.slice(this.#name("").length), JSON.parse(value) as Answers);
    }
  }

  of(place: Place): Answers {
    return this.#answers.get(id(place)) ?? {};
  }

  /** Keep an answer. */
  set(place: Place, slug: string, level: number | null) {
    const answers = { ...this.of(place), [slug]: level };
    this.#answers.set(id(place), answers);
    try {
      localStorage.setItem(this.#name(id(place)), JSON.stringify(answers));
    } catch {
      this.kept = false;
    }
  }

  /** Returns true where every question of a place has an answer. */
  done(place: Place): boolean {
    const answers = this.of(place);
    return this.#sheet.questions.every(({ slug }) => slug in answers);
  }

  /** A rating in each line, as `crs-eval calibrate` and `crs-eval agreement` read them. */
  export(places: Place[]): { text: string; count: number } {
    const lines = [...places].sort((a, b) => a.item - b.item || Number(a.again) - Number(b.again)).flatMap((place) => {
      const about = known(this.#sheet.items[place.item]?.key ?? "");
      return Object.entries(this.of(place)).flatMap(([factor, score]) => (score === null ? [] : [
        JSON.stringify({ ...about, factor, rater: this.annotator, kind: "human", score, ...(place.again ? { repeat: 1 } : {}) }),
      ]));
    });
    return { text: lines.map((line) => `${line}\n`).join(""), count: lines.length };
  }

  #name(place: string): string {
    return `${MARK} ${this.#sheet.id} ${encodeURIComponent(this.annotator)} ${place}`;
  }
}

/** Names of annotators who answered on this sheet before, in this browser. */
export function annotators(sheet: Sheet): string[] {
  const names = stored().map(([name]) => name.split(" ")).filter(([mark, id]) => mark === MARK && id === sheet.id);
  return [...new Set(names.map((parts) => decodeURIComponent(parts[2] ?? "")))].sort();
}

function id({ item, again }: Place): string {
  return again ? `${item} again` : String(item);
}

/** Entries that the browser keeps; none where it keeps nothing for files. */
function stored(): [string, string][] {
  try {
    return Object.entries(localStorage) as [string, string][];
  } catch {
    return [];
  }
}

/** Decodes a key: the conversation, its system, and how it was drawn. */
function known(key: string): Record<string, unknown> {
  const bytes = Uint8Array.from(atob(key.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
}
