/** Past runs, kept in this browser (IndexedDB) until somebody deletes them. Keys of services are never among them. */

import { pacer } from "../basics/dom.ts";

/** Description of a run, without its results. */
export interface RunInfo {
  id: string;
  /** The view that it was made in, which can show it again. */
  view: string;
  name: string;
  /** Time of its end, as ISO 8601. */
  at: string;
  /** Its results in a few words. */
  says: string;
}

export interface Run extends RunInfo {
  /** Whatever its view shows it by. */
  content: object;
}

const NAME = "crs-eval";
const INFOS = "runs";
const CONTENTS = "contents";
/** Older ones make room. */
const MOST = 60;

let opened: Promise<IDBDatabase> | null = null;

function database(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(INFOS, { keyPath: "id" });
      request.result.createObjectStore(CONTENTS);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

function answered<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function stores(mode: IDBTransactionMode): Promise<[IDBObjectStore, IDBObjectStore]> {
  const all = (await database()).transaction([INFOS, CONTENTS], mode);
  return [all.objectStore(INFOS), all.objectStore(CONTENTS)];
}

/** An object as JSON, made in small steps: one of many conversations would hold the browser up. */
export async function packed(content: object): Promise<Blob> {
  const pace = pacer();
  const parts: Blob[] = [];
  for (const [name, value] of Object.entries(content)) {
    parts.push(new Blob([parts.length ? "," : "", JSON.stringify(name), ":", Array.isArray(value) ? "[" : JSON.stringify(value) ?? "null"]));
    if (!Array.isArray(value)) continue;
    for (const [index, one] of value.entries()) {
      parts.push(new Blob([index ? "," : "", JSON.stringify(one) ?? "null"]));
      await pace();
    }
    parts.push(new Blob(["]"]));
  }
  return new Blob(["{", ...parts, "}"]);
}

/** Keep a run. Throws a DOMException where this browser keeps nothing. */
export async function keep({ content, ...info }: Run) {
  const blob = await packed(content);
  const [infos, contents] = await stores("readwrite");
  void contents.put(blob, info.id);
  await answered(infos.put(info));
  const old = (await pastRuns()).slice(MOST);
  for (const { id } of old) await forget(id);
}

/** Returns the kept runs, the latest first. Throws a DOMException where this browser keeps nothing. */
export async function pastRuns(): Promise<RunInfo[]> {
  const [infos] = await stores("readonly");
  return (await answered<RunInfo[]>(infos.getAll())).sort((a, b) => b.at.localeCompare(a.at));
}

/** Returns a run's results; undefined where it is gone. */
export async function contentOf(id: string): Promise<object | undefined> {
  const [, contents] = await stores("readonly");
  const blob = await answered<Blob | undefined>(contents.get(id));
  return blob && JSON.parse(await blob.text()) as object;
}

export async function forget(id: string) {
  const [infos, contents] = await stores("readwrite");
  void contents.delete(id);
  await answered(infos.delete(id));
}

/** The latest run of a view; null where there is none, or where this browser keeps nothing. */
export async function latest(view: string): Promise<Run | null> {
  try {
    const info = (await pastRuns()).find((one) => one.view === view);
    const content = info && await contentOf(info.id);
    return info && content !== undefined ? { ...info, content } : null;
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}
