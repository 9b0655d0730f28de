// What the page knows and can do, in one place. Start at `Desk`; views read `useDesk()` and call its verbs.
//
// It joins the hub, the REST routes and the fold; it draws nothing and decides nothing that the server decides.

import { useSyncExternalStore } from "react";

import { api, Refusal } from "./api";
import { apply, applyLive, empty, type Conversation, type Live } from "./fold";
import type { Change, Choice, ConversationShape, Setup } from "./generated/shapes";
import { connect, Interrupted, type Hub, type Link } from "./hub";

export type Notice = { id: number; text: string; hint: string };

export type State = {
  link: Link;
  setup: Setup | null;
  /** Newest first; null until they are known. */
  conversations: readonly ConversationShape[] | null;
  /** The open conversation, as far as it is known. */
  open: Conversation | null;
  /** Whether all of it has arrived. */
  loading: "" | "loading" | { message: string; hint: string };
  notices: readonly Notice[];
};

/** How many changes one request brings, which is as many as the server gives. */
const PAGE = 10_000;
/** How many conversations stay folded in memory, to come back to at once. */
const REMEMBERED = 6;
/** While a conversation is being made, joining it may come too early. */
const JOIN_PAUSES = [30, 60, 120, 250, 500, 1000];

type News = { change: Change } | { live: Live };

export class Desk {
  private state: State = { link: "connecting", setup: null, conversations: null, open: null, loading: "", notices: [] };
  private readonly watchers = new Set<() => void>();
  private readonly remembered = new Map<string, Conversation>();
  private readonly hub: Hub;
  private news: News[] = [];
  private frame = 0;
  private notice = 0;

  constructor() {
    const hear = (live: Live & { conversationId?: string }, id: string) => this.hear(id, { live });
    this.hub = connect(
      {
        ReceiveChange: (change) => this.hear(change.conversationId, { change }),
        ReceiveTextDelta: (delta) => hear({ kind: "text", ...delta }, delta.conversationId),
        ReceiveReasoningDelta: (delta) => hear({ kind: "reasoning", ...delta }, delta.conversationId),
        ReceiveToolOutput: (output) => hear({ kind: "output", ...output }, output.conversationId),
        ModelRetry: (retry) => hear({ kind: "retry", message: retry.message }, retry.conversationId),
        // The change of the same seq is what is drawn; this callback is for clients that read no changes.
        RunFailed: () => {},
        RunInterrupted: ({ conversationId, message, hint }) => hear({ kind: "interrupted", message, hint }, conversationId),
        UsageUpdated: ({ conversationId, seq: _, ...usage }) => hear({ kind: "usage", usage }, conversationId),
        ToolCallDecided: ({ conversationId, callId, decision, by }) =>
          hear({ kind: "decided", callId, decision, by }, conversationId),
        ConversationChanged: (one) => this.changed(one),
        ConversationRemoved: ({ id }) => this.removed(id),
      },
      (link) => this.linked(link),
    );
    void this.refresh();
  }

  subscribe = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  look = (): State => this.state;

  /** Shows a conversation, or none. */
  async show(id: string | null): Promise<void> {
    const before = this.state.open;
    if (before && before.id !== id) {
      this.remember(before);
      this.hub.leave(before.id).catch(() => {});
    }
    this.news = [];
    if (id === null) return this.set({ open: null, loading: "" });
    const known = this.remembered.get(id);
    this.set({ open: known ?? empty(id), loading: known ? "" : "loading" });
    await this.load(id);
  }

  /** Says something; the conversation is made by the server if there is none. */
  say(id: string, prompt: string, choice: Partial<Choice>): Promise<boolean> {
    const fresh = this.state.open?.id !== id;
    if (fresh) {
      if (this.state.open) void this.show(null);
      this.set({ open: { ...empty(id), ...(choice.model ? { model: choice.model } : {}) }, loading: "" });
    }
    const since = this.state.open?.seq ?? -1;
    const said = this.submit(id, prompt, choice, since);
    if (fresh) void this.join(id, JOIN_PAUSES);
    return said;
  }

  approve = (id: string, callId: string, digest: string) => this.act(() => this.hub.approve(id, callId, digest));
  decline = (id: string, callId: string, words: string) => this.act(() => this.hub.decline(id, callId, words));
  always = (id: string, callId: string) => this.act(() => this.hub.always(id, callId));
  cancel = (id: string) => this.act(() => this.hub.cancel(id));
  goOn = (id: string) => this.act(() => this.hub.goOn(id));
  compact = (id: string) => this.act(() => this.hub.compact(id));
  rename = (id: string, topic: string) => this.attempt(() => api.rename(id, topic));
  chooseModel = (id: string, model: string) => this.attempt(() => api.chooseModel(id, model));

  async remove(id: string): Promise<boolean> {
    const done = await this.attempt(() => api.remove(id));
    if (done) this.removed(id);
    return done;
  }

  /** The method returns only when the run pauses; the page is told of everything long before. */
  private async submit(id: string, prompt: string, choice: Partial<Choice>, since: number): Promise<boolean> {
    try {
      await this.hub.submit(id, prompt, choice);
      return true;
    } catch (error) {
      // A connection that broke during a run says nothing about the prompt; the log does, once it can be read again.
      if (error instanceof Interrupted && (await this.heard(id, prompt, since))) return true;
      this.tell(error);
      return false;
    }
  }

  private async heard(id: string, prompt: string, since: number): Promise<boolean> {
    const page = await api.changes(id, since, PAGE).catch(() => null);
    const mine = ({ body }: Change) => body.kind === "prompt" && body.text.trim() === prompt.trim();
    // While the server cannot be reached, nobody knows; the conversation itself shows it later.
    return page === null || page.changes.some(mine);
  }

  /** Tells the server what a person decided; while the connection is gone, as soon as it is back. */
  private act(work: () => Promise<unknown>): Promise<boolean> {
    return this.attempt(async () => {
      await this.live();
      await work();
    });
  }

  private live(): Promise<void> {
    if (this.state.link === "live") return Promise.resolve();
    return new Promise((go) => {
      const leave = this.subscribe(() => {
        if (this.state.link !== "live") return;
        leave();
        go();
      });
    });
  }

  /** Runs something that may fail; what went wrong is shown, not thrown. */
  async attempt(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      // The banner says that the connection is gone, and what was decided is read again afterwards.
      if (!(error instanceof Interrupted)) this.tell(error);
      return false;
    }
  }

  tell(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.flush();
    const hint = error instanceof Refusal ? error.hint : "";
    const notice = { id: ++this.notice, text, hint };
    this.set({ notices: [...this.state.notices.filter((one) => one.text !== text), notice].slice(-3) });
  }

  dismiss(id: number): void {
    this.set({ notices: this.state.notices.filter((one) => one.id !== id) });
  }

  private async refresh(): Promise<void> {
    await this.attempt(async () => {
      const [setup, conversations] = await Promise.all([api.setup(), api.list()]);
      this.set({ setup, conversations });
    });
  }

  private linked(link: Link): void {
    const again = link === "live" && (this.state.link === "reconnecting" || this.state.link === "refused");
    this.set({ link });
    if (link !== "live") return;
    // What happened while the connection was away is fetched, from the last seq that was seen.
    if (again) void this.refresh();
    const open = this.state.open;
    if (open && this.state.loading !== "loading") void this.join(open.id, again ? [] : JOIN_PAUSES);
  }

  private async load(id: string): Promise<void> {
    try {
      for (;;) {
        const open = this.state.open;
        if (open?.id !== id) return;
        const page = await api.changes(id, open.seq, PAGE);
        if (this.state.open?.id !== id) return;
        this.set({ open: apply(this.state.open, page.changes) });
        if (page.changes.length === 0 || (page.changes.at(-1)?.seq ?? page.last) >= page.last) break;
      }
      this.set({ loading: "" });
      if (this.state.link === "live") await this.join(id, []);
    } catch (error) {
      if (this.state.open?.id !== id) return;
      const hint = error instanceof Refusal ? error.hint : "";
      this.set({ loading: { message: error instanceof Error ? error.message : String(error), hint } });
    }
  }

  private async join(id: string, pauses: readonly number[]): Promise<void> {
    for (const [tries, wait] of [...pauses, 0].entries()) {
      if (this.state.open?.id !== id) return;
      this.flush();
      try {
        await this.hub.join(id, this.state.open.seq);
        return;
      } catch (error) {
        if (tries === pauses.length) {
          if (this.state.link === "live") this.tell(error);
          return;
        }
      }
      await new Promise((go) => setTimeout(go, wait));
    }
  }

  /** News is applied once a frame: a fast stream shall not draw the page a thousand times a second. */
  private hear(id: string, news: News): void {
    if (this.state.open?.id !== id) return;
    this.news.push(news);
    if (this.frame !== 0) return;
    // A hidden page has no frames, and its title and list must stay true all the same.
    if (document.hidden) this.frame = window.setTimeout(() => this.flush(), 250);
    else this.frame = requestAnimationFrame(() => this.flush());
  }

  private flush(): void {
    this.frame = 0;
    let open = this.state.open;
    const news = this.news;
    this.news = [];
    if (!open || news.length === 0) return;
    for (let at = 0; at < news.length; ) {
      const changes: Change[] = [];
      const live: Live[] = [];
      for (let one = news[at]; one && "change" in one; one = news[++at]) changes.push(one.change);
      for (let one = news[at]; one && "live" in one; one = news[++at]) live.push(one.live);
      open = applyLive(apply(open, changes), live);
    }
    this.set({ open });
  }

  private changed(one: ConversationShape): void {
    const known = this.state.conversations ?? [];
    const at = known.findIndex((other) => other.id === one.id);
    this.set({ conversations: at < 0 ? [one, ...known] : known.with(at, one) });
  }

  private removed(id: string): void {
    this.remembered.delete(id);
    const conversations = this.state.conversations?.filter((known) => known.id !== id) ?? null;
    this.set({ conversations });
    if (this.state.open?.id === id) {
      this.set({ loading: { message: "This conversation was deleted.", hint: "Begin a new session." }, open: empty(id) });
    }
  }

  private remember(one: Conversation): void {
    this.remembered.delete(one.id);
    // A reply in progress is told again when the conversation is joined again.
    this.remembered.set(one.id, { ...one, live: null });
    const oldest = this.remembered.keys().next().value;
    if (this.remembered.size > REMEMBERED && oldest !== undefined) this.remembered.delete(oldest);
  }

  private set(part: Partial<State>): void {
    this.state = { ...this.state, ...part };
    // Whichever comes first, the notice or the record: what the conversation itself says is not said twice.
    if (this.state.notices.some((one) => stands(this.state, one))) {
      this.state.notices = this.state.notices.filter((one) => !stands(this.state, one));
    }
    for (const watcher of this.watchers) watcher();
  }
}

/** Whether the open conversation says the same, with the way on beside it. */
function stands({ open }: State, { text }: Notice): boolean {
  return open?.items.slice(-2).some((item) => item.kind === "note" && item.tone === "error" && text.startsWith(item.text)) ?? false;
}

export const desk = new Desk();

export function useDesk(): State {
  return useSyncExternalStore(desk.subscribe, desk.look);
}
