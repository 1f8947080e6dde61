/** Pairing of several systems' conversations: done before anything is judged and paid for. */

import type { Log } from "../../../typescript/src/index.ts";
import { InputError } from "../basics/problem.ts";
import { nameOf } from "../reading/logs.ts";
import type { Case } from "./judging.ts";

/** Conversations from one place. */
export interface Source {
  logs: Log[];
  /** The name that somebody gave the system. */
  name: string;
  /** Its name where neither its logs nor a person name it. */
  fallback: string | null;
}

/** The conversations to judge, each with its system: the name that was given, or else what the log says. */
export function casesOf(sources: Source[]): Case[] {
  const given = sources.map(({ name }) => name).filter(Boolean);
  const twice = given.find((name, index) => given.indexOf(name) !== index);
  if (twice) throw new InputError(`The two sides cannot be compared: they are both called ${twice}.`);
  return sources.flatMap(({ logs, name, fallback }) => logs.map((log, index) => ({
    conversation: nameOf(log, index), system: name || (log.system ?? fallback), log, answer: null, failure: null,
  })));
}

/** Describes how systems are paired; empty for one system. Throws an InputError where a system holds a conversation twice. */
export function pairing(cases: Case[], sources: number): string {
  const systems = [...Map.groupBy(cases, ({ system }) => system)];
  if (systems.length < 2 && sources < 2) return "";
  const names = systems.map(([system, members]) => namesOf(members, system ?? "unnamed"));
  const shared = names.flatMap((one, index) => names.slice(index + 1).map((other) => one.intersection(other).size));
  const pairs = Math.max(0, ...shared);
  if (!pairs) return systems.length > 1 ? `; ${apart(systems)}` : "";
  const placed = cases.every(({ log }) => !log?.id);
  const most = systems.length > 2 ? "at most " : "";
  return `, ${most}${pairs} ${pairs === 1 ? "pair" : "pairs"}${placed ? " by place" : ""}`;
}

function apart(systems: [string | null, Case[]][]): string {
  const [first, second] = systems.map(([system, members]) => ({ system: system ?? "unnamed", begins: members[0]?.conversation }));
  return `they share no conversation. ${first?.system} begins with '${first?.begins}', ${second?.system} with '${second?.begins}'. `
    + "Faults are compared run by run. For pairs, give conversations of the same user the same id";
}

function namesOf(cases: Case[], system: string): Set<string> {
  const names = new Set<string>();
  for (const { conversation } of cases) {
    if (names.has(conversation)) throw new InputError(`The systems cannot be compared: ${system} holds '${conversation}' twice. Give each conversation an id of its own, or each file a name.`);
    names.add(conversation);
  }
  return names;
}
