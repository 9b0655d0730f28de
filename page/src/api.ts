// The server's REST routes. Start at `api`; every failure is a `Refusal` with words for a person.

import type {
  Changes,
  ConversationShape,
  Begun,
  ModelList,
  Letter,
  Undone,
  RuleShape,
  Setup,
} from "./generated/shapes";

export class Refusal extends Error {
  constructor(
    message: string,
    readonly hint: string,
    /** 0 when the server could not be reached. */
    readonly status: number,
  ) {
    super(message);
  }
}

export type UndoMode = "look" | "unchanged" | "whatever";

/** One exchange of the stateless view, as the API takes it back. */
export type Exchange = { timestamp: string; prompt: string; result: string };
export type Answer = { success: boolean; message: string; data: string | null; error: string | null };

const conversation = (id: string) => `/api/conversations/${encodeURIComponent(id)}`;

export const api = {
  list: () => call<ConversationShape[]>("GET", "/api/conversations"),
  changes: (id: string, after: number, limit: number) =>
    call<Changes>("GET", `${conversation(id)}/changes?${after >= 0 ? `after=${after}&` : ""}limit=${limit}`),
  rename: (id: string, topic: string) => call<unknown>("PATCH", conversation(id), { topic }),
  chooseModel: (id: string, model: string) => call<unknown>("PATCH", conversation(id), { model }),
  remove: (id: string) => call<unknown>("DELETE", conversation(id)),
  rule: (id: string, callId: string) =>
    call<RuleShape>("GET", `${conversation(id)}/calls/${encodeURIComponent(callId)}/rule`),
  undo: (id: string, callId: string, mode: UndoMode) =>
    call<Undone>("POST", `${conversation(id)}/undo`, { call: callId, mode }),
  setup: () => call<Setup>("GET", "/api/setup"),
  models: () => call<ModelList>("GET", "/api/models"),
  demo: () => call<Begun>("POST", "/api/demo", {}),
  outbox: (id: string) => call<Letter>("GET", `${conversation(id)}/outbox`),
  inbox: (id: string, text: string) => call<unknown>("POST", `${conversation(id)}/inbox`, { text }),
  agent: (prompt: string, toolType: string, contextHistory: Exchange[]) =>
    call<Answer>("POST", "/api/agent", { prompt, toolType, contextHistory }),
};

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const request: RequestInit = { method, credentials: "same-origin", headers: { accept: "application/json" } };
  if (body !== undefined) {
    request.body = JSON.stringify(body);
    request.headers = { accept: "application/json", "content-type": "application/json" };
  }
  const answer = await fetch(path, request).catch(() => {
    throw new Refusal("The server cannot be reached.", "Is `cinque web` still running?", 0);
  });
  const value: unknown = await answer.json().catch(() => null);
  if (answer.ok || isAnswer(value)) return value as T;
  throw refusal(answer.status, value);
}

/** The stateless API answers in its own shape whatever the status. */
function isAnswer(value: unknown): value is Answer {
  return typeof value === "object" && value !== null && "success" in value && "error" in value;
}

function refusal(status: number, value: unknown): Refusal {
  const told = typeof value === "object" && value !== null ? (value as { message?: unknown; hint?: unknown }) : {};
  if (status === 401) {
    return new Refusal("This page is no longer signed in.", "Open the address that the server printed when it started.", status);
  }
  const message = typeof told.message === "string" ? told.message : `The server answered with status ${status}.`;
  return new Refusal(message, typeof told.hint === "string" ? told.hint : "", status);
}
