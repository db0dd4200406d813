import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Changes } from "./changes";
import type { Documents } from "./document";
import type { Dump } from "./dump";
import { Facets } from "./facets";
import { Findings } from "./findings";
import { select, type Filter } from "./filter";
import { Flame } from "./flame";
import { Functions } from "./functions";
import { Header } from "./header";
import { Help } from "./help";
import { Locks } from "./locks";
import { Matrix } from "./matrix";
import { Overview } from "./overview";
import { PageContext, type Page } from "./page";
import { Reading } from "./reading";
import { stackKey, type Opened } from "./rows";
import { Stacks } from "./stacks";
import { Summary } from "./summary";
import { applyTheme, rememberedTheme } from "./theme";
import { Tree } from "./tree";
import { SHEETS, filterOf, fromFragment, toFragment, type Sheet, type View } from "./view";
import { Waits } from "./waits";

/** Typing changes the address only when it rests: browsers refuse more than a few changes a second. */
const REST_MS = 300;

const SHEET_NAMES: Record<Sheet, string> = {
  changes: "Changes",
  summary: "Summary",
  stacks: "Stacks",
  findings: "Findings",
  functions: "Functions",
  flame: "Flame graph",
  waits: "Waits",
  locks: "Locks",
  inputs: "Stacks by input",
  tree: "Who created whom",
  reading: "Reading",
};

const NOTHING_OPEN: Opened = {
  closedCategories: new Set(),
  stacks: new Set(),
  listed: new Map(),
  pins: new Map(),
  explained: new Set(),
  target: undefined,
};

export function App({ all, documents }: { all: Dump; documents: Documents }) {
  const [view, setView] = useState<View>(() => fromFragment(location.hash, all));
  const dump = useMemo(() => (view.value === undefined ? all : all.ofValue(view.value)), [all, view.value]);
  const sheets = useMemo(() => sheetsOf(all, documents), [all, documents]);
  // Addresses are also typed, and kept from pages that had more to look at.
  const sheet = sheets.includes(view.sheet) ? view.sheet : sheets[0];
  const [opened, setOpened] = useState<Opened>(NOTHING_OPEN);
  const [goal, setGoal] = useState<{ key: string } | undefined>(undefined);
  const [help, setHelp] = useState(false);
  /** Where the screen is narrow, what there is to choose from is shown only then. */
  const [choosing, setChoosing] = useState(false);
  const [theme, setTheme] = useState(rememberedTheme);
  const [said, setSaid] = useState("");
  /** How many steps the browser's Back can go without leaving the page. */
  const [steps, setSteps] = useState(stepsTaken);
  const lastFilter = useRef<Filter | undefined>(undefined);

  const { filter, error } = useMemo(() => {
    const { query, conditions, hiddenInputs, states, kinds, labels } = view;
    void [query, conditions, hiddenInputs, states, kinds, labels];
    return filterOf(view, lastFilter.current);
  }, [view.query, view.conditions, view.hiddenInputs, view.states, view.kinds, view.labels]);
  lastFilter.current = filter;
  const selection = useMemo(() => select(dump, filter), [dump, filter]);

  const open = useCallback(
    (stacks: number[]) =>
      setOpened((opened) => {
        const closed = new Set(opened.closedCategories);
        for (const stack of stacks) closed.delete(all.category(stack));
        return { ...opened, closedCategories: closed, stacks: new Set([...opened.stacks, ...stacks]) };
      }),
    [all],
  );
  const reveal = useCallback(
    (goroutine: number) => {
      open([all.stackOf(all.groupOf[goroutine])]);
      setOpened((opened) => ({ ...opened, target: goroutine }));
      setGoal({ key: `r${goroutine}` });
    },
    [all, open],
  );

  // The address and the view say the same, and as soon as a step is to be seen, a key can undo it.
  const isStep = useRef(false);
  const isGoingBack = useRef(false);
  useLayoutEffect(() => {
    const write = () => {
      const fragment = toFragment(view, all);
      const asStep = isStep.current;
      isStep.current = false;
      if (fragment === location.hash) return setSteps(stepsTaken());
      const address = fragment === "" ? location.pathname + location.search : fragment;
      if (asStep) history.pushState({ steps: stepsTaken() + 1 }, "", address);
      else history.replaceState(history.state, "", address);
      setSteps(stepsTaken());
    };
    if (isStep.current) return write();
    const rest = setTimeout(write, REST_MS);
    return () => clearTimeout(rest);
  }, [view, all]);
  useLayoutEffect(() => {
    const read = () => {
      isGoingBack.current = false;
      const view = fromFragment(location.hash, all);
      setView(view);
      setSteps(stepsTaken());
      const goroutine = view.goroutine === undefined ? undefined : all.findFull(view.goroutine);
      if (goroutine !== undefined) reveal(goroutine);
      else setOpened((opened) => ({ ...opened, target: undefined }));
    };
    read();
    addEventListener("popstate", read);
    return () => removeEventListener("popstate", read);
  }, [all, reveal]);

  const update = useCallback((change: Partial<View>, asStep = false) => {
    isStep.current = asStep;
    // At once with the view: to know it only when the address is written would draw everything twice.
    if (asStep) setSteps(stepsTaken() + 1);
    setView((view) => ({ ...view, ...change }));
  }, []);
  const page: Page = {
    dump,
    documents,
    view,
    selection,
    update,
    goTo: (goroutine) => {
      update({ goroutine: dump.fullId(goroutine), sheet: "stacks" }, true);
      reveal(goroutine);
    },
    showStacks: (stacks) => {
      update({ sheet: "stacks" }, true);
      open(stacks);
      const shown = stacks.find((stack) => selection.ofStack[stack] !== 0);
      if (shown === undefined) setSaid("The filter hides these stacks");
      else setGoal({ key: stackKey(dump, shown) });
    },
    copy: (text) => {
      navigator.clipboard.writeText(text).then(
        () => setSaid("Copied"),
        () => setSaid("The browser doesn't let this page copy"),
      );
    },
  };

  useEffect(() => {
    if (said === "") return;
    const end = setTimeout(() => setSaid(""), 3000);
    return () => clearTimeout(end);
  }, [said]);

  // Going back takes a while, and `steps` is that of the last drawing: a second Back before the first has ended,
  // or before a step is in the history, would leave the page.
  const back = () => {
    if (isGoingBack.current || isStep.current || stepsTaken() === 0) return;
    isGoingBack.current = true;
    history.back();
  };

  // Categories first, then stacks; the other way round when closing.
  const openAll = () => {
    const shown = dump.document.stacks.id.flatMap((_, stack) => (selection.ofStack[stack] !== 0 ? [stack] : []));
    setOpened((opened) =>
      opened.closedCategories.size > 0
        ? { ...opened, closedCategories: new Set() }
        : { ...opened, stacks: new Set(shown) },
    );
  };
  const closeAll = () => {
    const categories = dump.document.stacks.id.map((_, stack) => dump.category(stack));
    setOpened((opened) =>
      opened.stacks.size > 0
        ? { ...opened, stacks: new Set() }
        : { ...opened, closedCategories: new Set(categories) },
    );
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && event.target.closest("input, select, textarea");
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
      const sheet = /^\d$/.test(event.key) ? sheets[(Number(event.key) + 9) % 10] : undefined;
      if (event.key === "?") setHelp(true);
      else if (event.key === "Escape") setHelp(false);
      else if (event.key === "Backspace") back();
      else if (event.key === "o") openAll();
      else if (event.key === "x") closeAll();
      else if (sheet !== undefined) update({ sheet }, true);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });

  return (
    <PageContext.Provider value={page}>
      <Header
        error={error}
        theme={theme}
        setTheme={(theme) => {
          setTheme(theme);
          applyTheme(theme);
        }}
        showHelp={() => setHelp(true)}
      />
      <div class="below">
        <Facets open={choosing} />
        <main>
          <Overview hasFindings={sheet !== "findings"} />
          <nav aria-label="Views">
            <button class="narrow" aria-expanded={choosing} aria-controls="choose" onClick={() => setChoosing(!choosing)}>
              Choose
            </button>
            {sheets.map((one) => (
              <button aria-current={one === sheet ? "page" : undefined} onClick={() => update({ sheet: one }, true)}>
                {SHEET_NAMES[one]}
              </button>
            ))}
            <span class="all">
              {steps > 0 && <button onClick={back}>Back</button>}
              {sheet === "stacks" && (
                <>
                  <button onClick={openAll}>Open all</button>
                  <button onClick={closeAll}>Close all</button>
                  {opened.pins.size > 0 && (
                    <button onClick={() => setOpened({ ...opened, pins: new Map() })}>Unpin all</button>
                  )}
                </>
              )}
            </span>
          </nav>
          {sheet === "stacks" && (
            <Stacks opened={opened} change={(change) => setOpened({ ...opened, ...change })} goTo={goal} />
          )}
          {/* These are of the value that the page was written with, whatever is shown beside them. */}
          <PageContext.Provider value={{ ...page, dump: all }}>
            {sheet === "changes" && <Changes />}
            {sheet === "summary" && <Summary />}
          </PageContext.Provider>
          {sheet === "findings" && <Findings />}
          {sheet === "functions" && <Functions />}
          {sheet === "flame" && <Flame />}
          {sheet === "waits" && <Waits />}
          {sheet === "locks" && <Locks />}
          {sheet === "inputs" && <Matrix />}
          {sheet === "tree" && <Tree />}
          {sheet === "reading" && <Reading />}
        </main>
      </div>
      {help && <Help close={() => setHelp(false)} />}
      <p class="said" role="status">
        {said}
      </p>
    </PageContext.Provider>
  );
}

/** How many steps within the page led to what it shows. */
function stepsTaken(): number {
  return (history.state as { steps?: number } | null)?.steps ?? 0;
}

/** What there is to look at; what the page opens at comes first. */
function sheetsOf(dump: Dump, documents: Documents): Sheet[] {
  const isOfValues = dump.document.value !== undefined;
  const has: Partial<Record<Sheet, boolean>> = {
    changes: documents.diff !== undefined,
    summary: documents.summary !== undefined,
    findings: documents.check !== undefined,
    waits: !isOfValues && dump.waits.some((wait) => !Number.isNaN(wait)),
    inputs: dump.inputs.length > 1,
    // Of those that are only counted nobody knows who created them.
    tree: !isOfValues && dump.groupOf.length > 0,
    locks: documents.waits.piles.length > 0,
  };
  const first = dump.document.opens;
  return SHEETS.filter((sheet) => has[sheet] !== false).sort((a, b) => Number(b === first) - Number(a === first));
}
