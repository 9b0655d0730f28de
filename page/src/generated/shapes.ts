// Written by a test of crates/web from the Rust types; never edit it by hand.

export type Change = { conversationId: string, seq: number, 
/**
 * ISO 8601, in UTC.
 */
at: string, body: Body, };

export type Body = { "kind": "opened", model: string, profile: string, directory: string, } | { "kind": "prompt", text: string, context?: string, } | { "kind": "asked", model: string, summary: boolean, } | { "kind": "replied", text: string, reasoning: string, calls: Array<CallShape>, finish: FinishShape, usage: UsageShape, 
/**
 * In dollars, where the model's price is known.
 */
cost?: number, } | { "kind": "judged", callId: string, verdict: VerdictShape, by: ByShape, reason: string, digest: string, } | { "kind": "started", callId: string, } | { "kind": "ran", callId: string, status: OutcomeShape, output: string, exit?: number, diff?: string, 
/**
 * Where the whole output can be read, when `output` holds only a part of it.
 */
whole?: string, millis?: number, undoable: boolean, } | { "kind": "failed", message: string, hint: string, 
/**
 * The text of the reply that was not finished.
 */
partial: string, } | { "kind": "stopped", reason: StopShape, } | { "kind": "cancelled", } | { "kind": "continued", } | { "kind": "shortened", } | { "kind": "noted", } | { "kind": "compacted", summary?: string, } | { "kind": "configured", model?: string, topic?: string, } | { "kind": "undone", paths: Array<string>, };

export type CallShape = { callId: string, toolName: string, 
/**
 * As the model wrote them: mostly a JSON text.
 */
arguments: string, };

export type UsageShape = { input: number, output: number, cached: number, reasoning: number, };

export type FinishShape = "stop" | "calls" | "length" | "filtered" | "other";

export type VerdictShape = "allow" | "ask" | "forbid" | "approve" | "decline";

export type ByShape = "policy" | "person" | "mode";

export type OutcomeShape = "done" | "failed" | "timed_out" | "declined" | "refused" | "cancelled" | "interrupted";

export type StopShape = "done" | "cancelled" | "bound" | "failed";

export type TextDelta = { conversationId: string, 
/**
 * In UTF-16 code units.
 */
offset: number, text: string, };

export type ToolOutput = { conversationId: string, callId: string, offset: number, text: string, };

export type ModelRetry = { conversationId: string, afterMillis: number, message: string, };

export type RunFailed = { conversationId: string, seq: number, message: string, hint: string, };

export type UsageUpdated = { conversationId: string, seq: number, cost?: number, input: number, output: number, cached: number, reasoning: number, };

export type ToolCallDecided = { conversationId: string, seq: number, callId: string, decision: DecisionShape, by: ByShape, };

export type DecisionShape = "approved" | "declined";

export type ConversationShape = { id: string, topic: string, dateCreated: string, dateUpdated: string, status: StatusShape, model: string, profile: string, 
/**
 * How many messages the conversation has.
 */
messages: number, calls: number, 
/**
 * Calls that wait for a decision.
 */
pending: number, };

export type StatusShape = "idle" | "running" | "waiting" | "finished" | "cancelled" | "bound" | "failed" | "interrupted";

export type ConversationMessages = { id: string, topic: string, status: StatusShape, messages: Array<MessageShape>, };

export type MessageShape = { "messageType": "UserPrompt", content: string, } | { "messageType": "AgentResponse", content: string, } | { "messageType": "ToolCall", toolName: string, 
/**
 * A JSON text.
 */
arguments: string, 
/**
 * Empty while the call is open.
 */
response: string, };

export type ConversationRemoved = { id: string, };

export type Joined = { seq: number, };

export type Choice = { model: string | null, profile: string | null, };

export type Changes = { changes: Array<Change>, last: number, };

export type RuleShape = { rule: string, };

export type Undone = { files: Array<UndoneFile>, 
/**
 * Commands that ran since, whose changes no undo knows of.
 */
commands: Array<string>, done: boolean, };

export type UndoneFile = { path: string, diff: string, 
/**
 * Why it is not safe to put it back.
 */
contested?: string, };

export type Setup = { directory: string, version: string, 
/**
 * The model of conversations that name none.
 */
model: string, profiles: Array<string>, 
/**
 * What keeps that model from being asked.
 */
missing?: Missing, };

export type Missing = { message: string, hint: string, };

export type ModelList = { models: Array<string>, };

export type Begun = { id: string, };

export type Letter = { text: string, };

export type ErrorShape = { message: string, 
/**
 * What to do about it.
 */
hint?: string, };

export type AgentRequest = { 
/**
 * What is wanted. Not blank.
 */
prompt: string, 
/**
 * Kept for older clients; it never routes. Not blank.
 */
toolType?: string, 
/**
 * What was asked and answered before, oldest first.
 */
contextHistory?: Array<Exchange>, };

export type Exchange = { 
/**
 * An ISO date-time, with or without zone.
 */
timestamp: string, prompt: string, result: string, };

export type AgentResponse = { success: boolean, 
/**
 * `Tool execution result`, `Tool execution failed` or `AgentService error`.
 */
message: string, 
/**
 * The answer; where the model called a tool, that tool's own result.
 */
data: string | null, error: string | null, };
