import { useEffect, useRef } from "preact/hooks";

const KEYS: [string, string][] = [
  ["/", "search; Esc in the box shows all again"],
  ["↑ ↓ or k j", "the row above, below"],
  ["→ ←", "open a row, close it or go to what holds it"],
  ["Enter or Space", "open or close; on a goroutine go to its creator"],
  ["Home End PageUp PageDown", "far through the list"],
  ["o x", "open all, close all; categories first"],
  ["p P", "pin a category, a stack, a group or a goroutine: it stays whatever the search says; P with all that is in it"],
  ["c", "copy a category, a stack or a group as text"],
  ["w", "why a stack is called what it is called: the rules that named it"],
  ["Backspace or Alt+←", "back to where you were"],
  ["1 to 9, 0", "the views, as they stand in the row above the list"],
  ["?", "this help; Esc closes it"],
];

const SEARCH: [string, string][] = [
  ["flush", "in functions, files, labels, states or ids, whatever the case"],
  ["wait:5+ wait:>5 wait:<10 wait:4-9 wait:7", "minutes waited; >5 is 6 or more"],
  ["flush wait:5+", "both"],
];

/** Keys and what can be searched for. */
export function Help({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const list = (rows: [string, string][]) => (
    <dl>
      {rows.map(([key, text]) => (
        <>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{text}</dd>
        </>
      ))}
    </dl>
  );
  return (
    <dialog ref={dialog} aria-label="Help" onClose={close}>
      <h2>Keys</h2>
      {list(KEYS)}
      <h2>Search</h2>
      {list(SEARCH)}
      <button onClick={close}>Close</button>
    </dialog>
  );
}
