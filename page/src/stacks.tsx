import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Dump, Why } from "./dump";
import { List } from "./list";
import { usePage } from "./page";
import { MORE_LISTED, rowsOf, type Opened, type Row } from "./rows";
import { thousands } from "./amount";
import { PlaceLink } from "./place";
import { Points } from "./points";
import { minutes, stackText, statesOf, waitsOf, waitText } from "./text";
import { isFiltered, type Mode } from "./view";

/** How many created goroutines a row names; more are counted. */
const CREATED_NAMED = 5;

interface Props {
  opened: Opened;
  change: (change: Partial<Opened>) => void;
  goTo: { key: string } | undefined;
}

/** Categories, their stacks, and what is in them. */
export function Stacks({ opened, change, goTo }: Props) {
  const page = usePage();
  const { dump, selection, view } = page;
  const rows = useMemo(() => rowsOf(dump, selection, opened, view.order), [dump, selection, opened, view.order]);
  const toggle = (row: Row) => {
    if (row.kind === "category") change({ closedCategories: toggled(opened.closedCategories, row.name) });
    else if (row.kind === "stack") change({ stacks: toggled(opened.stacks, row.stack) });
    else if (row.kind === "more") {
      const listed = new Map(opened.listed);
      change({ listed: listed.set(row.group, (listed.get(row.group) ?? 0) + MORE_LISTED) });
    } else if (row.kind === "goroutine") {
      const creator = dump.creatorOf(row.goroutine);
      if (creator !== undefined) page.goTo(creator);
    }
  };
  /** Pins a row alone or with everything in it; what is pinned so already is unpinned. */
  const pin = (row: Row, inside: boolean) => {
    const pins = new Map(opened.pins);
    if (pins.get(row.key) === inside) pins.delete(row.key);
    else pins.set(row.key, inside);
    change({ pins });
  };
  /** Opens a stack that is asked about. */
  const explain = (stack: number) => {
    const explained = toggled(opened.explained, stack);
    change({ explained, stacks: explained.has(stack) ? new Set([...opened.stacks, stack]) : opened.stacks });
  };
  const copyOf = (row: Row) => {
    if (row.kind === "group") return page.copy(stackText(dump, selection, dump.stackOf(row.group), [row.group]));
    const stacks = row.kind === "category" ? row.stacks : "stack" in row ? [row.stack] : [];
    if (stacks.length > 0) page.copy(stacks.map((stack) => stackText(dump, selection, stack, dump.groupsOf(stack))).join("\n"));
  };
  const onKey = (row: Row, event: KeyboardEvent) => {
    if (event.key === "p" && isPinnable(row)) pin(row, false);
    else if (event.key === "P" && isPinnable(row) && row.kind !== "goroutine") pin(row, true);
    else if (event.key === "c") copyOf(row);
    else if (event.key === "w" && row.kind === "stack") explain(row.stack);
    else return;
    event.preventDefault();
  };
  const tools = (row: Row) => (
    <span class="tools">
      <button aria-pressed={opened.pins.get(row.key) === false} onClick={() => pin(row, false)}>
        Pin
      </button>
      {row.kind !== "goroutine" && (
        <button aria-pressed={opened.pins.get(row.key) === true} onClick={() => pin(row, true)}>
          Pin all
        </button>
      )}
      {row.kind !== "goroutine" && <button onClick={() => copyOf(row)}>Copy</button>}
      {row.kind === "stack" && (
        <button aria-pressed={opened.explained.has(row.stack)} onClick={() => explain(row.stack)}>
          Why
        </button>
      )}
    </span>
  );
  const render = (row: Row) => {
    switch (row.kind) {
      case "category":
        return (
          <div class="line">
            <button class="name" tabIndex={-1} onClick={() => toggle(row)}>
              <Arrow open={row.open} /> {row.name}
            </button>
            <Facts stacks={row.stacks} />
            {tools(row)}
            <Count shown={row.shown} of={row.of} groups={() => row.stacks.flatMap((stack) => dump.groupsOf(stack))} />
          </div>
        );
      case "stack":
        return (
          <div class="line">
            <button class="name" tabIndex={-1} onClick={() => toggle(row)}>
              <Arrow open={row.open} /> {dump.name(row.stack)}
            </button>
            <Facts stacks={[row.stack]} />
            {tools(row)}
            <Count shown={row.shown} of={row.of} groups={() => dump.groupsOf(row.stack)} />
          </div>
        );
      case "frames":
        return (
          <Frames dump={dump} stack={row.stack} mode={view.mode} explained={opened.explained.has(row.stack)} />
        );
      case "group":
        return <GroupLine group={row.group} shown={row.shown} of={row.of} tools={tools(row)} />;
      case "goroutine":
        return <Goroutine goroutine={row.goroutine} tools={tools(row)} />;
      case "more":
        return (
          <button tabIndex={-1} onClick={() => toggle(row)}>
            show {thousands(Math.min(row.left, MORE_LISTED))} more of {thousands(row.left)}
          </button>
        );
    }
  };
  if (rows.length === 0) {
    const nothing = dump.total === 0 && !isFiltered(view);
    return <p class="empty">{nothing ? "What was read holds none." : "No goroutine matches. “Show all” shows all again."}</p>;
  }
  return (
    <List
      rows={rows}
      label="Stacks by category"
      goTo={goTo}
      toggle={toggle}
      onKey={onKey}
      render={render}
      testId={(row) => (row.kind === "stack" || row.kind === "goroutine" ? row.kind : undefined)}
      className={(row) => {
        const isTarget = row.kind === "goroutine" && row.goroutine === opened.target;
        return `${row.kind}${isTarget ? " target" : ""}${opened.pins.has(row.key) ? " pinned" : ""}`;
      }}
      height={(row) => (row.kind === "frames" ? 12 + (opened.explained.has(row.stack) ? 58 : 38) * dump.frames(row.stack).length : 30)}
    />
  );
}

function isPinnable(row: Row): boolean {
  return row.kind === "category" || row.kind === "stack" || row.kind === "group" || row.kind === "goroutine";
}

export function toggled<T>(set: ReadonlySet<T>, member: T): Set<T> {
  const changed = new Set(set);
  if (!changed.delete(member)) changed.add(member);
  return changed;
}

/** Whether a row is open; the room of it where there is nothing to open. */
export function Arrow({ open }: { open: boolean | undefined }) {
  return (
    <span class="arrow" aria-hidden="true">
      {open === undefined ? "" : open ? "▾" : "▸"}
    </span>
  );
}

/** How many of how many; with points in time how they went from one to the next. */
function Count({ shown, of, groups }: { shown: number; of: number; groups: () => number[] }) {
  const { dump, selection } = usePage();
  return (
    <span class="count">
      {dump.points.length > 1 ? (
        <Points counts={dump.atPoints(selection.ofGroup, groups())} />
      ) : (
        dump.ofAll(shown, of)
      )}
    </span>
  );
}

/** `3 select, 2 IO wait · 4m to 9m`; of several points those of the last, of what is gone there those of the others. */
function Facts({ stacks }: { stacks: number[] }) {
  const { dump, selection } = usePage();
  const all = stacks.flatMap((stack) => dump.groupsOf(stack));
  const now = all.filter((group) => dump.isNow(group));
  const groups = now.some((group) => selection.ofGroup[group] !== 0) ? now : all;
  const states = statesOf(dump, selection, groups);
  const named = states.slice(0, 3).map(([state, count]) => (states.length === 1 ? state : `${thousands(count)} ${state}`));
  if (states.length > 3) named.push(`${states.length - 3} more states`);
  const waits = waitText(waitsOf(selection, groups));
  return (
    <span class="facts">
      {named.join(", ")}
      {waits !== "" && <span class="wait"> · {waits}</span>}
    </span>
  );
}

function Frames({ dump, stack, mode, explained }: { dump: Dump; stack: number; mode: Mode; explained: boolean }) {
  const elided = dump.document.stacks.elided[stack];
  const why = explained ? dump.why(stack) : [];
  return (
    <ol class={`frames ${mode}`}>
      {dump.frames(stack).map((frame, at) => (
        <li>
          {mode !== "places" && <code class="func">{dump.func(frame)}</code>}
          {mode !== "functions" && <PlaceLink text={dump.place(frame)} {...dump.origin(frame)} />}
          {at < why.length && <WhyFrame why={why[at]} />}
        </li>
      ))}
      {elided !== undefined && (
        <li class="elided">{elided === null ? "frames" : `${thousands(elided)} frames`} left out by Go</li>
      )}
    </ol>
  );
}

/** `skip by name.skip "^runtime\\."` */
function WhyFrame({ why }: { why: Why }) {
  return (
    <div class="why" data-testid="why">
      {why.step !== undefined && <strong>{why.step} </strong>}
      {why.by.map(({ verb, rule }) =>
        rule === undefined ? (
          <span>{verb} its beginning </span>
        ) : (
          <span title={rule.from}>
            {verb} {rule.list} <code>{rule.rule}</code>{" "}
          </span>
        ),
      )}
    </div>
  );
}

function GroupLine({ group, shown, of, tools }: { group: number; shown: number; of: number; tools: ComponentChildren }) {
  const { dump, selection } = usePage();
  const waits = waitText(waitsOf(selection, [group]));
  const creator = dump.creatorFrame(group);
  return (
    <div class="line">
      <span class="facts">
        {dump.inputs.length > 1 && <strong>{dump.input(group).name} </strong>}
        {dump.state(group)}
        {waits !== "" && <span class="wait"> · {waits}</span>}
        {dump.flags(group).map((flag) => (
          <span class="label">{flag}</span>
        ))}
        {dump.labelTextsOf(group).map((label) => (
          <span class="label">{label}</span>
        ))}
        {creator !== undefined && (
          <span class="creator">
            {" "}
            created by <code>{dump.func(creator)}</code> <PlaceLink text={dump.place(creator)} {...dump.origin(creator)} />
          </span>
        )}
      </span>
      {tools}
      <Count shown={shown} of={of} groups={() => [group]} />
    </div>
  );
}

/** `17 (5m): created by 3, created 2 goroutines: 20, 21` */
function Goroutine({ goroutine, tools }: { goroutine: number; tools: ComponentChildren }) {
  const { dump } = usePage();
  const wait = dump.waits[goroutine];
  const creator = dump.creatorOf(goroutine);
  const creatorId = dump.creatorId(goroutine);
  const created = dump.createdBy(goroutine);
  return (
    <div class="line">
      <span class="id">{dump.fullId(goroutine)}</span>
      {wait > 0 && <span class="wait"> {minutes(wait)}</span>}
      {creatorId !== undefined && (
        <span>
          {" "}
          created by {creator === undefined ? <span class="gone" title="not in what was read">{creatorId}</span> : <GoroutineLink goroutine={creator} />}
        </span>
      )}
      {created.length > 0 && (
        <span>
          {" "}
          created {thousands(created.length)}:{" "}
          {created.slice(0, CREATED_NAMED).map((one) => (
            <>
              <GoroutineLink goroutine={one} />{" "}
            </>
          ))}
          {created.length > CREATED_NAMED && <>and {thousands(created.length - CREATED_NAMED)} more</>}
        </span>
      )}
      {tools}
    </div>
  );
}

/** A link that tells where it leads: `[select, 5m] kv → Serve`. */
export function GoroutineLink({ goroutine }: { goroutine: number }) {
  const { dump, goTo } = usePage();
  const group = dump.groupOf[goroutine];
  const stack = dump.stackOf(group);
  const wait = dump.waits[goroutine] > 0 ? `, ${minutes(dump.waits[goroutine])}` : "";
  return (
    <a
      href={`#g-${encodeURIComponent(dump.fullId(goroutine))}`}
      class="preview"
      onClick={(event) => {
        event.preventDefault();
        goTo(goroutine);
      }}
    >
      {dump.fullId(goroutine)}
      <span class="tip">
        [{dump.state(group)}
        {wait}] {dump.category(stack)} → {dump.name(stack)}
      </span>
    </a>
  );
}
