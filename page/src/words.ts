// Numbers, times and states in words. Start anywhere: each function stands alone.

import type { Call, Usage } from "./fold";
import type { StatusShape } from "./generated/shapes";

export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 100_000) return `${(count / 1000).toFixed(1)}k`;
  if (count < 1_000_000) return `${Math.round(count / 1000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

export function money(cost: number): string {
  if (cost === 0) return "$0";
  return cost < 0.01 ? `$${cost.toFixed(4)}` : `$${cost.toFixed(2)}`;
}

export function usageLine(usage: Usage): string {
  const parts = [`${tokens(usage.input)} in`, `${tokens(usage.output)} out`];
  if (usage.cached > 0) parts.push(`${tokens(usage.cached)} cached`);
  if (usage.reasoning > 0) parts.push(`${tokens(usage.reasoning)} reasoning`);
  if (usage.cost !== undefined) parts.push(money(usage.cost));
  return parts.join(" · ");
}

export function duration(millis: number): string {
  if (millis < 1000) return `${Math.round(millis)} ms`;
  if (millis < 60_000) return `${(millis / 1000).toFixed(1)} s`;
  return `${Math.floor(millis / 60_000)} min ${Math.round((millis % 60_000) / 1000)} s`;
}

export function ago(then: string, now: number): string {
  const seconds = (now - Date.parse(then)) / 1000;
  if (!Number.isFinite(seconds)) return "";
  if (seconds < 60) return "now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  if (seconds < 7 * 86_400) return `${Math.floor(seconds / 86_400)} d`;
  return new Date(then).toLocaleDateString(undefined, { day: "numeric", month: "short" });
}

const STATES: Readonly<Record<Call["state"], string>> = {
  new: "",
  waiting: "waits for you",
  allowed: "allowed",
  approved: "approved",
  running: "running",
  done: "",
  failed: "failed",
  timed_out: "timed out",
  declined: "declined",
  refused: "refused",
  cancelled: "cancelled",
  interrupted: "interrupted, outcome unknown",
};

export function stateOf(call: Call): string {
  if (call.state === "failed" && call.exit !== undefined) return `exit ${call.exit}`;
  return STATES[call.state];
}

/** The dot of a conversation in the sidebar: a colour, and the same in words. */
export function dotOf(status: StatusShape): { tone: "busy" | "waiting" | "failed" | "calm"; words: string } {
  switch (status) {
    case "running":
      return { tone: "busy", words: "running" };
    case "waiting":
      return { tone: "waiting", words: "waits for you" };
    case "failed":
    case "interrupted":
    case "bound":
      return { tone: "failed", words: status };
    default:
      return { tone: "calm", words: status };
  }
}

/** How a card asks. */
export function question(toolName: string): string {
  switch (toolName) {
    case "shell":
    case "bash":
    case "run":
      return "Run this command?";
    case "write_file":
      return "Write this file?";
    case "insert_text":
    case "replace_text":
    case "edit_file":
    case "apply_patch":
    case "patch":
      return "Make this edit?";
    default:
      return "Run this tool?";
  }
}
