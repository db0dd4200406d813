import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Documents } from "./document";
import type { Dump } from "./dump";
import type { Selection } from "./filter";
import type { View } from "./view";

/** What every part of the page can see and do. */
export interface Page {
  dump: Dump;
  /** What commands found, as they write it. */
  documents: Documents;
  view: View;
  selection: Selection;
  /** Changes the view; `asStep` makes it a step that the browser's Back undoes. */
  update: (change: Partial<View>, asStep?: boolean) => void;
  goTo: (goroutine: number) => void;
  /** Shows the first of these stacks, opened. */
  showStacks: (stacks: number[]) => void;
  copy: (text: string) => void;
}

export const PageContext = createContext<Page | undefined>(undefined);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error("no page");
  return page;
}
