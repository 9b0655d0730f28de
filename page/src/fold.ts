// What is drawn, as a pure function of what the server said. Start at `Conversation` and `apply`.
//
// Nothing here touches the network, the clock or the document: a page that reloads, reconnects or arrives late
// draws the same, because it folds the same changes.

import type {
  Body,
  ByShape,
  CallShape,
  Change,
  DecisionShape,
  OutcomeShape,
  StopShape,
  TextDelta,
  ToolOutput,
  UsageShape,
} from "./generated/shapes";

/** One thing in the list of messages. `key` never changes, also when a reply in progress becomes a whole one. */
export type Item =
  | { kind: "prompt"; key: string; seq: number; text: string; context?: string; queued: boolean }
  | { kind: "reply"; key: string; seq: number; text: string; reasoning: string; state: "live" | "whole" | "broken"; model: string }
  | { kind: "answer"; key: string; seq: number; text: string; callId: string }
  | { kind: "call"; key: string; seq: number; call: Call }
  | { kind: "note"; key: string; seq: number; tone: "quiet" | "warning" | "error"; text: string; hint: string; more: string };

export type Prompt = Extract<Item, { kind: "prompt" }>;
export type Reply = Extract<Item, { kind: "reply" }>;

export type Call = {
  callId: string;
  toolName: string;
  /** Exactly as the model wrote them; they may not be JSON. */
  arguments: string;
  state: "new" | "waiting" | "allowed" | "approved" | "running" | OutcomeShape;
  /** Why it waits, or the words of who declined it. */
  reason: string;
  by: ByShape | "";
  digest: string;
  output: string;
  /** How much of the front of a long live output is no longer kept. */
  dropped: number;
  exit?: number;
  diff?: string;
  whole?: string;
  millis?: number;
  undoable: boolean;
};

export type Usage = UsageShape & { cost?: number };

export type Phase = "new" | "asking" | "working" | "waiting" | "stopping" | "interrupted" | StopShape;

export type Conversation = {
  id: string;
  /** The last seq that was applied, -1 for none, and the kinds that were applied of it. */
  seq: number;
  kinds: readonly string[];
  model: string;
  profile: string;
  directory: string;
  topic: string;
  items: readonly Item[];
  /** The reply in progress; it stands after all items. */
  live: Reply | null;
  /** What was said while a run was busy; it stands last until a request carries it. */
  queued: readonly Prompt[];
  /** Where in `items` each call is. */
  calls: ReadonlyMap<string, number>;
  /** The calls that wait for a person, in the order in which they were asked. */
  pending: readonly string[];
  phase: Phase;
  usage: Usage;
  /** What the model's server makes us wait for. */
  retry: string;
};

/** What arrives beside changes and is not kept by the server. */
export type Live =
  | ({ kind: "text" | "reasoning" } & TextDelta)
  | ({ kind: "output" } & ToolOutput)
  | { kind: "decided"; callId: string; decision: DecisionShape; by: ByShape }
  | { kind: "usage"; usage: Usage }
  | { kind: "retry"; message: string }
  | { kind: "interrupted"; message: string; hint: string };

/** More of a running command's output is not kept in memory; the record brings what the model reads. */
const OUTPUT_KEPT = 200_000;

const FINAL = "final_output";

export function empty(id: string): Conversation {
  return {
    id,
    seq: -1,
    kinds: [],
    model: "",
    profile: "",
    directory: "",
    topic: "",
    items: [],
    live: null,
    queued: [],
    calls: new Map(),
    pending: [],
    phase: "new",
    usage: { input: 0, output: 0, cached: 0, reasoning: 0 },
    retry: "",
  };
}

/** Applies changes in one go: thousands of them cost one copy of the list. What was applied before is passed over. */
export function apply(before: Conversation, changes: readonly Change[]): Conversation {
  const draft = new Draft(before);
  for (const change of changes) {
    if (change.conversationId === before.id) draft.take(change);
  }
  return draft.finish();
}

export function applyLive(before: Conversation, news: readonly Live[]): Conversation {
  const draft = new Draft(before);
  for (const one of news) draft.hear(one);
  return draft.finish();
}

/** What the list shows: the items, the reply in progress, and what waits to be heard. */
export function drawn(conversation: Conversation): readonly Item[] {
  const { items, live, queued } = conversation;
  if (!live && queued.length === 0) return items;
  return [...items, ...(live ? [live] : []), ...queued];
}

export function isBusy(phase: Phase): boolean {
  return phase === "asking" || phase === "working" || phase === "stopping";
}

export function callOf(conversation: Conversation, callId: string): Call | undefined {
  const at = conversation.calls.get(callId);
  const item = at === undefined ? undefined : conversation.items[at];
  return item?.kind === "call" ? item.call : undefined;
}

/** A copy that is changed in place until it is handed out. Lists are copied when they are first written. */
class Draft {
  private now: Conversation;
  private items: Item[] | null = null;
  private calls: Map<string, number> | null = null;

  constructor(before: Conversation) {
    this.now = { ...before };
  }

  finish(): Conversation {
    if (this.items) this.now.items = this.items;
    if (this.calls) this.now.calls = this.calls;
    return this.now;
  }

  take(change: Change): void {
    const { seq, body } = change;
    if (seq < this.now.seq || (seq === this.now.seq && this.now.kinds.includes(body.kind))) return;
    this.now.kinds = seq === this.now.seq ? [...this.now.kinds, body.kind] : [body.kind];
    this.now.seq = seq;
    this.change(seq, body);
  }

  private change(seq: number, body: Body): void {
    switch (body.kind) {
      case "opened":
        this.now = { ...this.now, model: body.model, profile: body.profile, directory: body.directory };
        return;
      case "prompt":
        return this.prompt(seq, body);
      case "asked":
        return this.asked(seq, body);
      case "replied":
        return this.replied(seq, body);
      case "judged":
        return this.judged(body);
      case "started":
        this.setCall(body.callId, (call) => ({ ...call, state: "running" }));
        this.settle(body.callId);
        return;
      case "ran":
        return this.ran(seq, body);
      case "failed":
        return this.failed(seq, body);
      case "stopped":
        return this.stopped(seq, body.reason);
      case "cancelled":
        this.now.phase = "stopping";
        return;
      case "continued":
        this.now.phase = "asking";
        return;
      case "shortened":
        return this.note(seq, "quiet", "Earlier messages are summed up when the model is asked again, unless they are few.");
      case "compacted":
        this.now.live = null;
        return this.note(seq, "quiet", "Earlier messages were summed up to make room.", "", body.summary ?? "");
      case "configured":
        return this.configured(seq, body);
      case "undone":
        return this.note(seq, "quiet", `Put back: ${body.paths.join(", ")}`);
    }
  }

  hear(news: Live): void {
    switch (news.kind) {
      case "text":
      case "reasoning":
        return this.delta(news.kind, news);
      case "output":
        return this.setCall(news.callId, (call) => withOutput(call, news));
      case "decided":
        this.setCall(news.callId, (call) =>
          call.state === "waiting" ? { ...call, state: news.decision, by: news.by } : call,
        );
        return this.settle(news.callId);
      case "usage":
        this.now.usage = news.usage;
        return;
      case "retry":
        this.now.retry = news.message;
        if (this.now.live) this.now.live = { ...this.now.live, text: "", reasoning: "" };
        return;
      case "interrupted":
        return this.interrupted(news.message, news.hint);
    }
  }

  private prompt(seq: number, body: Extract<Body, { kind: "prompt" }>): void {
    const queued = isBusy(this.now.phase) || this.now.phase === "waiting";
    const context = body.context === undefined ? {} : { context: body.context };
    const item: Prompt = { kind: "prompt", key: `p${seq}`, seq, text: body.text, queued, ...context };
    if (queued) {
      this.now.queued = [...this.now.queued, item];
      return;
    }
    this.push(item);
    this.now.phase = "asking";
  }

  private asked(seq: number, body: Extract<Body, { kind: "asked" }>): void {
    this.now.phase = "asking";
    this.now.retry = "";
    this.now.live = body.summary ? null : reply(seq, body.model);
    if (body.summary) return;
    // The request that goes out now carries everything that was said before it.
    for (const item of this.now.queued) this.push({ ...item, queued: false });
    this.now.queued = [];
  }

  private replied(seq: number, body: Extract<Body, { kind: "replied" }>): void {
    const key = this.now.live?.key ?? `r${seq}`;
    const model = this.now.live?.model ?? this.now.model;
    this.now.live = null;
    this.now.retry = "";
    if (body.text.trim() !== "" || body.reasoning.trim() !== "") {
      this.push({ kind: "reply", key, seq, text: body.text, reasoning: body.reasoning, state: "whole", model });
    }
    for (const call of body.calls) this.propose(seq, call);
    this.now.phase = "working";
    this.now.usage = sum(this.now.usage, body.usage, body.cost);
  }

  private propose(seq: number, call: CallShape): void {
    const answer = call.toolName === FINAL ? outputOf(call.arguments) : null;
    this.writableCalls().set(call.callId, this.length());
    const key = `c${call.callId}`;
    if (answer === null) this.push({ kind: "call", key, seq, call: proposed(call) });
    else this.push({ kind: "answer", key, seq, text: answer, callId: call.callId });
  }

  private judged(body: Extract<Body, { kind: "judged" }>): void {
    const state = STATE_OF[body.verdict];
    this.setCall(body.callId, (call) => ({
      ...call,
      state,
      by: body.by,
      reason: body.reason === "" ? call.reason : body.reason,
      digest: body.digest === "" ? call.digest : body.digest,
    }));
    if (state !== "waiting") return this.settle(body.callId);
    if (!this.now.pending.includes(body.callId)) this.now.pending = [...this.now.pending, body.callId];
    this.now.phase = "waiting";
  }

  /** A call that nobody needs to decide any more. */
  private settle(callId: string): void {
    if (!this.now.pending.includes(callId)) return;
    this.now.pending = this.now.pending.filter((one) => one !== callId);
    if (this.now.pending.length === 0 && this.now.phase === "waiting") this.now.phase = "working";
  }

  private ran(seq: number, body: Extract<Body, { kind: "ran" }>): void {
    const at = (this.calls ?? this.now.calls).get(body.callId);
    const item = at === undefined ? undefined : this.at(at);
    if (at !== undefined && item?.kind === "answer" && body.status !== "done") {
      // An answer that did not count is a call that failed: the person should see why.
      const call = proposed({ callId: body.callId, toolName: FINAL, arguments: JSON.stringify({ output: item.text }) });
      this.writable()[at] = { kind: "call", key: item.key, seq, call };
    }
    this.setCall(body.callId, (call) => outcome(call, body));
    this.settle(body.callId);
  }

  private failed(seq: number, body: Extract<Body, { kind: "failed" }>): void {
    const live = this.now.live;
    this.now.live = null;
    if (body.partial !== "") {
      const key = live?.key ?? `r${seq}`;
      const reasoning = live?.reasoning ?? "";
      const model = live?.model ?? this.now.model;
      this.push({ kind: "reply", key, seq, text: body.partial, reasoning, state: "broken", model });
    }
    // Whoever pressed Stop knows why the request failed, and `stopped` says so next.
    if (this.now.phase !== "stopping") this.note(seq, "error", body.message, body.hint);
  }

  /** Nobody drives the run any more. Whoever comes back is told so again. */
  private interrupted(message: string, hint: string): void {
    if (!isBusy(this.now.phase)) return;
    this.breakOff(this.now.seq);
    this.now.phase = "interrupted";
    this.push({ kind: "note", key: `i${this.now.seq}`, seq: this.now.seq, tone: "warning", text: message, hint, more: "" });
  }

  /** What there is of a reply in progress stays, and is marked as broken. */
  private breakOff(seq: number): void {
    const live = this.now.live;
    this.now.live = null;
    this.now.retry = "";
    if (live && (live.text !== "" || live.reasoning !== "")) this.push({ ...live, seq, state: "broken" });
  }

  private stopped(seq: number, reason: StopShape): void {
    this.breakOff(seq);
    this.now.phase = reason;
    this.now.pending = [];
    if (reason === "cancelled") this.note(seq, "quiet", "Stopped.");
    if (reason === "bound") {
      this.note(seq, "warning", "The limit of model calls in one run was reached.", "Continue gives it as many again.");
    }
  }

  private configured(seq: number, body: Extract<Body, { kind: "configured" }>): void {
    if (body.topic !== undefined) this.now.topic = body.topic;
    if (body.model === undefined || body.model === this.now.model) return;
    this.now.model = body.model;
    this.note(seq, "quiet", `The model is ${body.model} from here on.`);
  }

  /** A delta at offset 0 begins a reply anew; one that leaves a gap is passed over, for the record brings it all. */
  private delta(part: "text" | "reasoning", delta: TextDelta): void {
    const live = this.now.live ?? reply(this.now.seq, this.now.model);
    // What a broken attempt had said goes with it, whichever part the new one begins with.
    const base = delta.offset === 0 && live[part] !== "" ? { ...live, text: "", reasoning: "" } : live;
    const known = base[part];
    if (delta.offset > known.length) return;
    const grown = known.slice(0, delta.offset) + delta.text;
    this.now.live = { ...base, [part]: grown };
    this.now.retry = "";
  }

  private note(seq: number, tone: "quiet" | "warning" | "error", text: string, hint = "", more = ""): void {
    this.push({ kind: "note", key: `n${seq}`, seq, tone, text, hint, more });
  }

  private setCall(callId: string, change: (call: Call) => Call): void {
    const at = (this.calls ?? this.now.calls).get(callId);
    const item = at === undefined ? undefined : this.at(at);
    if (at === undefined || item?.kind !== "call") return;
    const call = change(item.call);
    if (call !== item.call) this.writable()[at] = { ...item, call };
  }

  private push(item: Item): void {
    this.writable().push(item);
  }

  private at(index: number): Item | undefined {
    return (this.items ?? this.now.items)[index];
  }

  private length(): number {
    return (this.items ?? this.now.items).length;
  }

  private writable(): Item[] {
    return (this.items ??= [...this.now.items]);
  }

  private writableCalls(): Map<string, number> {
    return (this.calls ??= new Map(this.now.calls));
  }
}

const STATE_OF = {
  allow: "allowed",
  ask: "waiting",
  forbid: "refused",
  approve: "approved",
  decline: "declined",
} as const;

function reply(seq: number, model: string): Reply {
  return { kind: "reply", key: `r${seq}`, seq, text: "", reasoning: "", state: "live", model };
}

function proposed(call: CallShape): Call {
  return { ...call, state: "new", reason: "", by: "", digest: "", output: "", dropped: 0, undoable: false };
}

function outcome(call: Call, body: Extract<Body, { kind: "ran" }>): Call {
  const { callId: _, kind: __, status, ...rest } = body;
  return { ...call, ...rest, state: status, dropped: 0 };
}

function withOutput(call: Call, news: ToolOutput): Call {
  const have = call.dropped + call.output.length;
  if (news.offset > have || news.offset < call.dropped) return call;
  const output = call.output.slice(0, news.offset - call.dropped) + news.text;
  const excess = Math.max(0, output.length - OUTPUT_KEPT);
  return { ...call, output: output.slice(excess), dropped: call.dropped + excess };
}

function sum(usage: Usage, more: UsageShape, cost: number | undefined): Usage {
  const total: Usage = {
    input: usage.input + more.input,
    output: usage.output + more.output,
    cached: usage.cached + more.cached,
    reasoning: usage.reasoning + more.reasoning,
  };
  if (usage.cost !== undefined || cost !== undefined) total.cost = (usage.cost ?? 0) + (cost ?? 0);
  return total;
}

/** The text of a `final_output` call, or null where its arguments are not what they should be. */
function outputOf(raw: string): string | null {
  try {
    const value: unknown = JSON.parse(raw);
    const output = typeof value === "object" && value !== null && "output" in value ? value.output : null;
    return typeof output === "string" ? output : null;
  } catch {
    return null;
  }
}
