// The list of messages: only what can be seen is in the document. Start at `Messages`.

import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useLayoutEffect, useRef, useState } from "react";

import { drawn, type Conversation, type Item } from "../fold";
import { CallView } from "./call";
import { Exact } from "./code";
import { Copy } from "./copy";
import { useFold } from "./fold-state";
import { Icon } from "./icon";
import { Prose } from "./prose";

/** How near the end counts as being there, so that the list follows what arrives. */
const NEAR = 80;

export function Messages({ conversation, ready }: { conversation: Conversation; ready: boolean }) {
  const items = drawn(conversation);
  const scroller = useRef<HTMLDivElement>(null);
  const [away, setAway] = useState(false);
  const list = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => estimate(items[at]),
    getItemKey: (at) => items[at]?.key ?? at,
    overscan: 8,
    paddingStart: 16,
    paddingEnd: 24,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: NEAR,
    onChange: (list) => setAway(!list.isAtEnd(NEAR)),
  });
  // A conversation opens at its end.
  useLayoutEffect(() => {
    if (ready) list.scrollToEnd({ behavior: "auto" });
  }, [ready, list]);
  return (
    <div className="messages-frame">
      <div ref={scroller} className="messages" tabIndex={0} role="region" aria-label="Messages">
        <div className="messages-inner" role="feed" aria-busy={conversation.live !== null} style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map((row) => {
            const item = items[row.index];
            return item ? (
              <article
                key={row.key}
                ref={list.measureElement}
                data-index={row.index}
                className="row"
                data-kind={item.kind}
                aria-posinset={row.index + 1}
                aria-setsize={items.length}
                aria-label={labelOf(item)}
                tabIndex={-1}
                style={{ transform: `translateY(${row.start}px)` }}
              >
                <Drawn id={conversation.id} item={item} />
              </article>
            ) : null;
          })}
        </div>
      </div>
      {away && items.length > 0 && (
        <button type="button" className="to-end" aria-label="Go to the newest message" onClick={() => list.scrollToEnd({ behavior: "auto" })}>
          <Icon name="down" />
        </button>
      )}
    </div>
  );
}

const Drawn = memo(function Drawn({ id, item }: { id: string; item: Item }) {
  switch (item.kind) {
    case "prompt":
      return (
        <div className="said">
          <div className="bubble" data-queued={item.queued}>
            {item.context && (
              <details>
                <summary>With {item.context.split("\n").length} lines of material</summary>
                <pre tabIndex={0}>{item.context}</pre>
              </details>
            )}
            <Exact text={item.text} />
          </div>
          <div className="row-tools">
            {item.queued && <span className="faint">queued, heard next</span>}
            <Copy text={item.text} what="this message" />
          </div>
        </div>
      );
    case "reply":
      return (
        <div className="reply" data-state={item.state}>
          {item.reasoning.trim() !== "" && <Reasoning id={id} item={item} />}
          {item.text !== "" && <Prose text={item.text} live={item.state === "live"} />}
          {item.state === "live" && <Working started={item.text !== "" || item.reasoning !== ""} />}
          {item.state === "broken" && <p className="faint">The reply broke off here.</p>}
          {item.state !== "live" && item.text !== "" && (
            <div className="row-tools">
              <Copy text={item.text} what="this reply" />
            </div>
          )}
        </div>
      );
    case "answer":
      return (
        <div className="reply answer">
          <Prose text={item.text} live={false} />
          <div className="row-tools">
            <Copy text={item.text} what="this answer" />
          </div>
        </div>
      );
    case "call":
      return <CallView id={id} call={item.call} />;
    case "note":
      return (
        <div className="note" data-tone={item.tone}>
          <p>
            <Exact text={item.text} />
          </p>
          {item.hint !== "" && <p className="hint">{item.hint}</p>}
          {item.more !== "" && (
            <details>
              <summary>Summary</summary>
              <Prose text={item.more} live={false} />
            </details>
          )}
        </div>
      );
  }
});

function Reasoning({ id, item }: { id: string; item: Extract<Item, { kind: "reply" }> }) {
  const [open, turn] = useFold(`${id}/think/${item.key}`, false);
  const thinking = item.state === "live" && item.text === "";
  return (
    <div className="reasoning">
      <button type="button" className="quiet" aria-expanded={open} onClick={turn}>
        <span className="turner" data-open={open}>
          <Icon name="fold" />
        </span>
        {thinking ? "Thinking…" : "Reasoning"}
      </button>
      {open && <Prose text={item.reasoning} live={item.state === "live"} />}
    </div>
  );
}

function Working({ started }: { started: boolean }) {
  return (
    <p className="working" data-started={started}>
      <span className="wave" aria-hidden="true">
        <i />
        <i />
        <i />
        <i />
        <i />
      </span>
      {!started && <span className="unseen">The model is being asked.</span>}
    </p>
  );
}

function estimate(item: Item | undefined): number {
  switch (item?.kind) {
    case "call":
      return 40;
    case "note":
      return 56;
    case "prompt":
    case "answer":
    case "reply":
      return 64 + Math.ceil(item.text.length / 90) * 24;
    default:
      return 60;
  }
}

function labelOf(item: Item): string {
  switch (item.kind) {
    case "prompt":
      return "You";
    case "reply":
    case "answer":
      return "Cinque";
    case "call":
      return `Tool call: ${item.call.toolName}`;
    case "note":
      return "Note";
  }
}
