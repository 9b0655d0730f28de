// Markdown that is loaded when it is first needed; until then the text stands as it is. Start at `Prose`.

import { lazy, memo, Suspense } from "react";

import { persist, whenIdle } from "../later";

const load = () => persist(() => import("./markdown"));
const Markdown = lazy(load);

// The first answer will need it, and the server may be gone by then.
whenIdle(() => void load());

export const Prose = memo(function Prose({ text, live }: { text: string; live: boolean }) {
  return (
    <Suspense fallback={<div className="prose plain">{text}</div>}>
      <Markdown text={text} live={live} />
    </Suspense>
  );
});
