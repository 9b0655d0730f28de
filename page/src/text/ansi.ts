// Colours of a terminal's output; everything else a terminal would obey is shown, not obeyed. Start at `paint`.

export type Span = { text: string; classes: string; foreground?: string; background?: string };

type Pen = { bold: boolean; dim: boolean; italic: boolean; underline: boolean; inverse: boolean; foreground: Colour; background: Colour };
/** One of the sixteen that the theme gives, any other, or none. */
type Colour = { index: number } | { css: string } | null;

const PLAIN: Pen = {
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
  foreground: null,
  background: null,
};

const COLOUR_CODE = /\x1b\[([0-9;:]*)m/g;

/** Lines end with `\n`; a `\r\n` is one too. */
export function paint(output: string): Span[] {
  const text = output.replaceAll("\r\n", "\n");
  const spans: Span[] = [];
  let pen = PLAIN;
  let shown = 0;
  for (const match of text.matchAll(COLOUR_CODE)) {
    if (match.index > shown) spans.push(span(pen, text.slice(shown, match.index)));
    pen = turned(pen, match[1] ?? "");
    shown = match.index + match[0].length;
  }
  if (shown < text.length) spans.push(span(pen, text.slice(shown)));
  return spans;
}

function turned(before: Pen, parameters: string): Pen {
  const codes = parameters.split(/[;:]/).map((word) => (word === "" ? 0 : Number(word)));
  let pen = before;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const [colour, used] = extended(codes.slice(at + 1));
      pen = code === 38 ? { ...pen, foreground: colour } : { ...pen, background: colour };
      at += used;
    } else {
      pen = stroke(pen, code);
    }
  }
  return pen;
}

function stroke(pen: Pen, code: number): Pen {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...pen, bold: true };
  if (code === 2) return { ...pen, dim: true };
  if (code === 3) return { ...pen, italic: true };
  if (code === 4) return { ...pen, underline: true };
  if (code === 7) return { ...pen, inverse: true };
  if (code === 22) return { ...pen, bold: false, dim: false };
  if (code === 23) return { ...pen, italic: false };
  if (code === 24) return { ...pen, underline: false };
  if (code === 27) return { ...pen, inverse: false };
  if (code >= 30 && code <= 37) return { ...pen, foreground: { index: code - 30 } };
  if (code === 39) return { ...pen, foreground: null };
  if (code >= 40 && code <= 47) return { ...pen, background: { index: code - 40 } };
  if (code === 49) return { ...pen, background: null };
  if (code >= 90 && code <= 97) return { ...pen, foreground: { index: code - 82 } };
  if (code >= 100 && code <= 107) return { ...pen, background: { index: code - 92 } };
  return pen;
}

/** The colour after 38 or 48, and how many codes it took. */
function extended(codes: readonly number[]): [Colour, number] {
  if (codes[0] === 5) return [indexed(codes[1] ?? 0), 2];
  if (codes[0] === 2) return [{ css: `rgb(${codes.slice(1, 4).map(byte).join(" ")})` }, 4];
  return [null, 1];
}

function indexed(index: number): Colour {
  if (index < 16) return { index };
  if (index >= 232) {
    const grey = 8 + (byte(index) - 232) * 10;
    return { css: `rgb(${grey} ${grey} ${grey})` };
  }
  const level = (part: number) => (part === 0 ? 0 : 55 + part * 40);
  const cube = index - 16;
  return { css: `rgb(${level(Math.floor(cube / 36))} ${level(Math.floor(cube / 6) % 6)} ${level(cube % 6)})` };
}

function byte(value: number): number {
  return Number.isFinite(value) ? Math.min(255, Math.max(0, value)) : 0;
}

function span(pen: Pen, text: string): Span {
  const [front, back] = pen.inverse ? [pen.background, pen.foreground] : [pen.foreground, pen.background];
  const classes = [
    pen.bold && "a-bold",
    pen.dim && "a-dim",
    pen.italic && "a-italic",
    pen.underline && "a-underline",
    pen.inverse && "a-inverse",
    front && "index" in front && `a-f${front.index}`,
    back && "index" in back && `a-b${back.index}`,
  ];
  const made: Span = { text, classes: classes.filter(Boolean).join(" ") };
  if (front && "css" in front) made.foreground = front.css;
  if (back && "css" in back) made.background = back.css;
  return made;
}
