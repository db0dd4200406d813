import {
  Virtualizer,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualizerOptions,
} from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";

/** What the list has to know of a row; what is in it is the business of `render`. */
export interface ListRow {
  key: string;
  level: number;
  open?: boolean;
}

interface Props<R extends ListRow> {
  rows: R[];
  label: string;
  height: (row: R) => number;
  className: (row: R) => string;
  testId?: (row: R) => string | undefined;
  render: (row: R) => ComponentChildren;
  /** Opens or closes a row that has an inside. */
  toggle: (row: R) => void;
  /** Keys that the list doesn't know itself, on the current row. */
  onKey?: (row: R, event: KeyboardEvent) => void;
  /** The row to go to; each new value scrolls there once. */
  goTo?: { key: string };
}

type Options = VirtualizerOptions<HTMLDivElement, HTMLDivElement>;

/** A tree as a list of rows, of which only those in sight are in the document. */
export function List<R extends ListRow>(props: Props<R>) {
  const { rows, goTo } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [, rerender] = useReducer((count: number) => count + 1, 0);
  const [currentKey, setCurrentKey] = useState("");
  /** The row that gets the focus as soon as it is in the document. */
  const wanted = useRef<string | undefined>(undefined);
  const options: Options = {
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => props.height(rows[at]),
    getItemKey: (at) => rows[at].key,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => rerender(undefined),
    overscan: 8,
  };
  const [virtual] = useState(() => new Virtualizer<HTMLDivElement, HTMLDivElement>(options));
  virtual.setOptions(options);
  useLayoutEffect(() => virtual._didMount(), [virtual]);
  useLayoutEffect(() => virtual._willUpdate());

  const rowElement = (at: number) => scroller.current?.querySelector<HTMLElement>(`[data-index="${at}"]`);
  const current = Math.max(0, rows.findIndex((row) => row.key === currentKey));
  const move = (to: number) => {
    const at = Math.min(Math.max(to, 0), rows.length - 1);
    wanted.current = rows[at].key;
    setCurrentKey(rows[at].key);
    // The row that has the focus may leave the document before the wanted one comes: keys would be lost.
    if (!rowElement(at)) scroller.current?.querySelector<HTMLElement>("[role=tree]")?.focus({ preventScroll: true });
    virtual.scrollToIndex(at);
    rerender(undefined);
  };
  useLayoutEffect(() => {
    const at = goTo ? rows.findIndex((row) => row.key === goTo.key) : -1;
    if (at < 0) return;
    wanted.current = rows[at].key;
    setCurrentKey(rows[at].key);
    virtual.scrollToIndex(at, { align: "center" });
  }, [goTo]);
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const at = rows.findIndex((row) => row.key === wanted.current);
    const row = rowElement(at);
    if (!row) return;
    wanted.current = undefined;
    row.focus({ preventScroll: true });
  });

  const onKeyDown = (event: KeyboardEvent) => {
    // Buttons and links in a row have keys of their own.
    if (event.target instanceof HTMLElement && !["treeitem", "tree"].includes(event.target.role ?? "")) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[current];
    const page = Math.max(1, virtual.getVirtualItems().length - 10);
    const steps: Record<string, () => void> = {
      ArrowDown: () => move(current + 1),
      ArrowUp: () => move(current - 1),
      j: () => move(current + 1),
      k: () => move(current - 1),
      PageDown: () => move(current + page),
      PageUp: () => move(current - page),
      Home: () => move(0),
      End: () => move(rows.length - 1),
      Enter: () => props.toggle(row),
      " ": () => props.toggle(row),
      ArrowRight: () => (row.open === false ? props.toggle(row) : move(current + 1)),
      ArrowLeft: () => {
        if (row.open === true) props.toggle(row);
        else move(rows.findLastIndex((above, at) => at < current && above.level < row.level));
      },
    };
    const step = steps[event.key];
    if (step) {
      event.preventDefault();
      step();
    } else props.onKey?.(row, event);
  };

  return (
    <div class="list" ref={scroller}>
      {rows.length > 0 && (
        <div role="tree" tabIndex={-1} aria-label={props.label} style={{ height: virtual.getTotalSize() }} onKeyDown={onKeyDown}>
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index];
            return (
              <div
                key={item.key}
                ref={virtual.measureElement}
                role="treeitem"
                aria-level={row.level}
                aria-expanded={row.open}
                aria-posinset={item.index + 1}
                aria-setsize={rows.length}
                tabIndex={item.index === current ? 0 : -1}
                data-index={item.index}
                data-testid={props.testId?.(row)}
                class={`row level${row.level} ${props.className(row)}`}
                style={{ transform: `translateY(${item.start}px)` }}
                onFocus={() => setCurrentKey(row.key)}
              >
                {props.render(row)}
              </div>
            );
          })}
        </div>
      )}
    </div>
  );
}
