// The few drawings that the page needs. They say nothing by themselves: whoever uses one names the button.

const PATHS = {
  menu: "M3 6h18M3 12h18M3 18h18",
  plus: "M12 5v14M5 12h14",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M20 20l-4-4",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  copy: "M9 9h10v11H9zM5 15V4h10",
  check: "M5 12l5 5 9-10",
  close: "M6 6l12 12M18 6L6 18",
  pen: "M4 20l4-1L19 8l-3-3L5 16zM14 7l3 3",
  bin: "M5 7h14M10 7V5h4v2M7 7l1 13h8l1-13M10 11v5M14 11v5",
  fold: "M9 6l6 6-6 6",
  down: "M12 5v14M6 13l6 6 6-6",
  undo: "M9 7H4V2M4 7a9 9 0 1 1-1 8",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M19 5l-1.5 1.5M6.5 17.5L5 19",
  moon: "M20 14A8.5 8.5 0 0 1 10 4a8.5 8.5 0 1 0 10 10",
  half: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18",
  bolt: "M13 3L5 14h6l-1 7 8-11h-6z",
  terminal: "M5 7l5 5-5 5M12 17h7",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  spark: "M12 3v5M12 16v5M3 12h5M16 12h5",
  shield: "M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6z",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The mark: a harbour with five openings, and the one realm inside. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <circle className="mark-wall" cx="16" cy="16" r="12" pathLength="50" />
      <circle className="mark-realm" cx="16" cy="16" r="4" />
    </svg>
  );
}
