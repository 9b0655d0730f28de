// Code, output and exact bytes, as text that can be read and copied. Start at `Code`, `Output` and `Exact`.

import { memo, useEffect, useState } from "react";

import { paint } from "../text/ansi";
import { reveal } from "../text/reveal";
import type { Token } from "../text/highlight";
import { persist } from "../later";
import { Copy } from "./copy";

type Highlighter = typeof import("../text/highlight");
let highlighter: Highlighter | null = null;

async function loadHighlighter(): Promise<Highlighter> {
  return (highlighter ??= await persist(() => import("../text/highlight")));
}

/** The colours come later than the code: the first block brings the highlighter, and none waits for it. */
function useHighlight(code: string, language: string): Token[] | null {
  const [loaded, setLoaded] = useState(highlighter);
  useEffect(() => {
    if (loaded || language === "") return;
    let wanted = true;
    void loadHighlighter().then((module) => wanted && setLoaded(module));
    return () => {
      wanted = false;
    };
  }, [loaded, language]);
  return loaded && language !== "" ? loaded.highlight(code, language) : null;
}

export const Coloured = memo(function Coloured({ code, language }: { code: string; language: string }) {
  const tokens = useHighlight(code, language);
  if (!tokens) return <>{code}</>;
  return (
    <>
      {tokens.map((token, at) =>
        token.scope === "" ? (
          token.text
        ) : (
          <span key={at} className={`h-${token.scope}`}>
            {token.text}
          </span>
        ),
      )}
    </>
  );
});

/** A block of code with its language and a way to copy it. */
export const Code = memo(function Code({ code, language }: { code: string; language: string }) {
  return (
    <figure className="code">
      <figcaption>
        <span>{language || "text"}</span>
        <Copy text={code} what="this code" />
      </figcaption>
      <pre tabIndex={0}>
        <code>
          <Coloured code={code} language={language} />
        </code>
      </pre>
    </figure>
  );
});

/** A text in which nothing is hidden. */
export const Exact = memo(function Exact({ text }: { text: string }) {
  return (
    <>
      {reveal(text).map((piece, at) =>
        piece.kind === "text" ? (
          piece.text
        ) : (
          <span key={at} className="hidden-mark" title={piece.name}>
            {piece.code}
          </span>
        ),
      )}
    </>
  );
});

/** As many lines as are drawn before a person asks for all of them. */
const LINES = 300;

/** What a command printed: its colours shown, its control characters named. */
export const Output = memo(function Output({ text, label }: { text: string; label: string }) {
  const [all, setAll] = useState(false);
  const lines = text.split("\n");
  const hidden = all ? 0 : Math.max(0, lines.length - LINES);
  const shown = hidden > 0 ? lines.slice(hidden).join("\n") : text;
  return (
    <div className="output">
      {hidden > 0 && (
        <button type="button" className="quiet" onClick={() => setAll(true)}>
          Show the {hidden} lines before
        </button>
      )}
      <pre tabIndex={0} aria-label={label}>
        {paint(shown).map((span, at) => (
          <span key={at} className={span.classes} style={{ color: span.foreground, backgroundColor: span.background }}>
            <Exact text={span.text} />
          </span>
        ))}
      </pre>
    </div>
  );
});
