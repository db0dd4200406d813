import type { HierarchyRectangularNode } from "d3-hierarchy";
import { scaleLinear } from "d3-scale";
import { useRef } from "preact/hooks";

export type Box<T> = HierarchyRectangularNode<T>;

const ROW = 20;
/** Narrower boxes aren't drawn: nobody can see or point at them. Percent of the width. */
const NARROWEST = 0.1;
const COLOURS = 8;

interface Props<T> {
  root: Box<T>;
  /** The keys of the boxes on the way to the one that is zoomed to. */
  zoomed: number[];
  zoom: (way: number[]) => void;
  keyOf: (thing: T) => number;
  /** What stands in a box; those of one `family` have one colour. */
  name: (box: Box<T>) => string;
  title: (box: Box<T>) => string;
  family: (box: Box<T>) => string;
  /** Instead of that colour. */
  background?: (box: Box<T>) => string;
  isFound?: (box: Box<T>) => boolean;
  /** Whether the root is at the bottom. */
  upwards?: boolean;
}

/** A tree as boxes, the children of each below it and together at most as wide; a click zooms. */
export function Icicle<T>(props: Props<T>) {
  const { root, keyOf, upwards = false } = props;
  const focus = follow(root, props.zoomed, keyOf);
  const across = scaleLinear().domain([focus.x0, focus.x1]).range([0, 100]);
  const boxes = [...focus.ancestors().slice(1), ...visible(focus, (box) => across(box.x1) - across(box.x0) >= NARROWEST)];
  /** Says at once what the browser's tips say after a while, and on a phone never. */
  const told = useRef<HTMLParagraphElement>(null);
  const tell = (event: Event) => {
    const box = event.target instanceof Element ? event.target.closest<HTMLElement>(".box") : null;
    if (told.current && box) told.current.textContent = box.title;
  };
  const deepest = boxes.reduce((depth, box) => Math.max(depth, box.depth), 0);
  return (
    <>
      <p class="told" ref={told} data-testid="told">
        {props.title(focus)}
      </p>
      <div class="flame" style={{ height: (deepest + 1) * ROW }} onMouseOver={tell} onFocusCapture={tell}>
        {boxes.map((box) => {
          const way = path(box, keyOf);
          const left = Math.max(0, across(box.x0));
          const wide = Math.min(100, across(box.x1)) - left;
          const background = props.background?.(box);
          const look = background === undefined ? `c${colour(props.family(box))}` : "compared";
          return (
            <button
              key={way.join(",")}
              class={`box ${look} ${props.isFound?.(box) ? "found" : ""} ${box.depth < focus.depth ? "above" : ""}`}
              style={{
                left: `${left}%`,
                width: `${wide}%`,
                top: (upwards ? deepest - box.depth : box.depth) * ROW,
                ...(background === undefined ? {} : { background }),
              }}
              onClick={() => props.zoom(way)}
              title={props.title(box)}
            >
              {wide > 2 ? props.name(box) : ""}
            </button>
          );
        })}
      </div>
    </>
  );
}

/** The box at the end of a way, as far as it leads. */
function follow<T>(root: Box<T>, way: number[], keyOf: (thing: T) => number): Box<T> {
  let box = root;
  for (const key of way) {
    const next = box.children?.find((child) => keyOf(child.data) === key);
    if (next === undefined) break;
    box = next;
  }
  return box;
}

function path<T>(box: Box<T>, keyOf: (thing: T) => number): number[] {
  return box
    .ancestors()
    .reverse()
    .slice(1)
    .map((above) => keyOf(above.data));
}

/** The boxes that are wide enough, from this one on. */
function visible<T>(from: Box<T>, isWide: (box: Box<T>) => boolean): Box<T>[] {
  const boxes = [from];
  for (let at = 0; at < boxes.length; at++) boxes.push(...(boxes[at].children ?? []).filter(isWide));
  return boxes;
}

function colour(family: string): number {
  let hash = 0;
  for (let at = 0; at < family.length; at++) hash = (hash * 31 + family.charCodeAt(at)) >>> 0;
  return hash % COLOURS;
}
