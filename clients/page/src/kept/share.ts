/** Actions on a result: files, code that asks again, an address that holds the conversation. */

import type { Log } from "../../../typescript/src/index.ts";
import { hasKey, url } from "../asking/api.ts";
import { download, h } from "../basics/dom.ts";
import { asCsv, asReport } from "../many/files.ts";
import type { Result } from "../many/rows.ts";
import { addressOf, LONGEST } from "./address.ts";
import { writeRun } from "./run_files.ts";
import type { Run } from "./runs.ts";

/** Buttons for files to take away. */
export function downloads(run: Run, results: Result[]): HTMLElement[] {
  const button = (text: string, act: () => unknown) => h("button", { type: "button", onclick: () => void act() }, text);
  return [
    button("Download report", async () => download("crs-eval.html", await asReport(results))),
    button("Download CSV", async () => download("crs-eval.csv", await asCsv(results))),
    button("Download JSON", async () => download("crs-eval.json", await writeRun(run))),
  ];
}

/** Buttons that copy a judgement: its answer, the request as code, and an address. */
export function copies(log: Log, asked: object, answer: unknown): HTMLElement[] {
  const body = { log, ...asked };
  const note = h("span", { "aria-live": "polite", class: "hint" });
  const button = (text: string, make: () => string | Promise<string>) => h("button", {
    type: "button", onclick: async () => { note.textContent = await copied(await make()) ? `${text}: copied.` : ""; },
  }, text);
  const small = new TextEncoder().encode(JSON.stringify(log)).length <= LONGEST;
  const link = small ? button("Copy link", () => addressOf(log)) : h("span", { class: "hint" }, "The conversation is too long for a link (8 KB).");
  return [
    link, button("Copy JSON", () => JSON.stringify(answer, null, 2)), button("Copy as curl", () => asCurl(body)),
    button("Copy as Python", () => asPython(log, asked)), button("Copy as TypeScript", () => asTypeScript(body)), note,
  ];
}

function asCurl(body: object): string {
  const quoted = JSON.stringify(body).replaceAll("'", "'\\''");
  return `curl -sS '${url}/score' ${hasKey() ? '-H "Authorization: Bearer $CRS_EVAL_KEY" ' : ""}-H 'Content-Type: application/json' -d '${quoted}'\n`;
}

/** By the client in `clients/python`. A text of JSON in quotes is one of Python too. */
function asPython(log: Log, asked: object): string {
  const text = (value: unknown) => JSON.stringify(JSON.stringify(value));
  return [
    ...(hasKey() ? ["import os"] : []), "import json", "from crs_eval_client import CrsEval", "",
    `log = json.loads(${text(log)})`, `asked = json.loads(${text(asked)})`,
    `with CrsEval(${JSON.stringify(url)}${hasKey() ? ', api_key=os.environ["CRS_EVAL_KEY"]' : ""}) as client:`,
    "    answer = client.score(log, **asked)",
    "    for verdict in answer.verdicts:", "        print(verdict.factor, verdict.score, verdict.rationale)", "",
  ].join("\n");
}

/** By the client in `clients/typescript`. */
function asTypeScript(body: object): string {
  const options = hasKey() ? `{ url: ${JSON.stringify(url)}, apiKey: process.env.CRS_EVAL_KEY }` : `{ url: ${JSON.stringify(url)} }`;
  return [
    'import { connect, score, type ScoreRequest } from "crs-eval-client";', "",
    `const body: ScoreRequest = ${JSON.stringify(body, null, 2)};`,
    `const client = connect(${options});`,
    "const { data } = await score({ client, body, throwOnError: true });",
    "for (const verdict of data.verdicts) console.log(verdict.factor, verdict.score, verdict.rationale);", "",
  ].join("\n");
}

/** Copy a text; where this browser does not let a page do so, show it to be copied by hand. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h("textarea", { rows: 14, readonly: true, "aria-label": "Text to copy" });
    area.value = text;
    const dialog = h("dialog", { "aria-labelledby": "copy-title", onclose: () => dialog.remove() }, h("h2", { id: "copy-title" }, "Copy this"), area,
      h("button", { type: "button", onclick: () => dialog.close() }, "Close"));
    document.body.append(dialog);
    dialog.showModal();
    area.select();
    return false;
  }
}
