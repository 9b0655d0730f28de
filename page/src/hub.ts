// The live connection to the server, over the stock SignalR client. Start at `Hub`.
//
// It knows the names of methods and callbacks and nothing of what they mean for the page.

import { HttpTransportType, HubConnectionBuilder, HubConnectionState, LogLevel } from "@microsoft/signalr";

import type {
  Change,
  Choice,
  ConversationRemoved,
  ConversationShape,
  Joined,
  ModelRetry,
  RunFailed,
  TextDelta,
  ToolCallDecided,
  ToolOutput,
  UsageUpdated,
} from "./generated/shapes";

/** What the server tells; one function a callback, named as it is on the wire. */
export type Listener = {
  ReceiveChange(change: Change): void;
  ReceiveTextDelta(delta: TextDelta): void;
  ReceiveReasoningDelta(delta: TextDelta): void;
  ReceiveToolOutput(output: ToolOutput): void;
  ModelRetry(retry: ModelRetry): void;
  RunFailed(failed: RunFailed): void;
  RunInterrupted(interrupted: RunFailed): void;
  UsageUpdated(usage: UsageUpdated): void;
  ToolCallDecided(decided: ToolCallDecided): void;
  ConversationChanged(conversation: ConversationShape): void;
  ConversationRemoved(removed: ConversationRemoved): void;
};

/** `refused`: the server is there, but does not know this browser any more. */
export type Link = "connecting" | "live" | "reconnecting" | "refused";

/** The connection broke while a method was under way; whether it was heard is not known. */
export class Interrupted extends Error {}

export type Hub = {
  join(id: string, lastSeq: number): Promise<Joined>;
  leave(id: string): Promise<void>;
  submit(id: string, prompt: string, choice: Partial<Choice>): Promise<void>;
  approve(id: string, callId: string, digest: string): Promise<void>;
  decline(id: string, callId: string, words: string): Promise<void>;
  always(id: string, callId: string): Promise<void>;
  cancel(id: string): Promise<void>;
  goOn(id: string): Promise<void>;
  compact(id: string): Promise<void>;
};

/** The contract's own callbacks say again what changes say; without a listener the client would log a warning each. */
const SAID_TWICE = [
  "ReceiveAgentResponse",
  "ReceiveToolCall",
  "RequestPermission",
  "AgentCompleted",
  "MaxIterationsReached",
  "RequestCancelled",
];

/** Milliseconds before each try; the last one repeats for as long as the page is open. */
const PAUSES = [0, 300, 1000, 2000, 4000];

export function connect(listener: Listener, onLink: (link: Link) => void): Hub {
  const connection = new HubConnectionBuilder()
    .withUrl("/hubs/coding", { transport: HttpTransportType.WebSockets })
    .withAutomaticReconnect({
      nextRetryDelayInMilliseconds: ({ previousRetryCount, retryReason }) => {
        if (isRefusal(retryReason)) onLink("refused");
        return pause(previousRetryCount);
      },
    })
    .configureLogging(LogLevel.None)
    .build();
  for (const [name, hear] of Object.entries(listener)) connection.on(name, hear);
  for (const name of SAID_TWICE) connection.on(name, () => {});
  connection.onreconnecting(() => onLink("reconnecting"));
  connection.onreconnected(() => onLink("live"));

  const start = async (tries: number): Promise<void> => {
    try {
      await connection.start();
      onLink("live");
    } catch (error) {
      onLink(isRefusal(error) ? "refused" : tries === 0 ? "connecting" : "reconnecting");
      setTimeout(() => void start(tries + 1), pause(tries + 1));
    }
  };
  connection.onclose(() => {
    onLink("reconnecting");
    void start(1);
  });
  void start(0);

  const invoke = async <T>(method: string, ...args: unknown[]): Promise<T> => {
    if (connection.state !== HubConnectionState.Connected) throw new Error("Not connected to the server right now.");
    try {
      return await connection.invoke<T>(method, ...args);
    } catch (error) {
      if (connection.state !== HubConnectionState.Connected) throw new Interrupted(plain(error));
      throw new Error(plain(error));
    }
  };
  return {
    join: (id, lastSeq) => invoke("JoinConversation", id, lastSeq),
    leave: (id) => invoke("LeaveConversation", id),
    submit: (id, prompt, choice) =>
      choice.model || choice.profile
        ? invoke("SubmitPromptWith", id, prompt, choice)
        : invoke("SubmitPrompt", id, prompt),
    approve: (id, callId, digest) =>
      digest ? invoke("ApproveToolCall", id, callId, digest) : invoke("ApproveToolCall", id, callId),
    decline: (id, callId, words) =>
      words ? invoke("DeclineToolCallWithReason", id, callId, words) : invoke("DeclineToolCall", id, callId),
    always: (id, callId) => invoke("AlwaysAllow", id, callId),
    cancel: (id) => invoke("CancelRequest", id),
    goOn: (id) => invoke("ContinueRun", id),
    compact: (id) => invoke("Compact", id),
  };
}

/** Negotiating wraps what the server answered, and keeps the status only in words. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.message.includes("'401'");
}

function pause(tries: number): number {
  return PAUSES[Math.min(tries, PAUSES.length - 1)] ?? 4000;
}

/** The client wraps the server's words in its own. */
function plain(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .replace(/^An unexpected error occurred invoking '[^']*' on the server\.\s*/, "")
    .replace(/^(?:HubException|Error): /, "");
}
