import { useEffect, useRef, useState } from "preact/hooks";
import { range } from "./dump";
import { FIELDS, type Field } from "./filter";
import { usePage } from "./page";
import { Points } from "./points";
import { nextTheme, THEMES, type Theme } from "./theme";
import { MODES, ORDERS, UNFILTERED, isFiltered, type Mode, type Order } from "./view";

interface Props {
  error: string | undefined;
  theme: Theme;
  setTheme: (theme: Theme) => void;
  showHelp: () => void;
}

const MODE_NAMES: Record<Mode, string> = {
  combined: "function over place",
  columns: "side by side",
  functions: "functions only",
  places: "places only",
};
const ORDER_NAMES: Record<Order, string> = { count: "most first", name: "by name", wait: "longest wait first" };

/** Title, count, search box, and how things are shown. */
export function Header({ error, theme, setTheme, showHelp }: Props) {
  const { dump, view, selection, update } = usePage();
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && event.target.closest("input, select, textarea");
      if (event.key !== "/" || typing || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      box.current?.select();
    };
    addEventListener("keydown", focus);
    return () => removeEventListener("keydown", focus);
  }, []);
  const noun = dump.document.value ? dump.document.value.type : dump.total === 1 ? "goroutine" : "goroutines";
  return (
    <header>
      <h1 title={dump.document.title}>{dump.document.title}</h1>
      <p class="total">
        <strong data-testid="count" aria-live="polite">
          {dump.ofAll(selection.total, dump.total)}
        </strong>{" "}
        {noun}{" "}
        {selection.unknownWaits > 0 && (
          <span class="notice">{dump.amount(selection.unknownWaits)} left out: their wait isn't known </span>
        )}
        {dump.points.length > 1 && <Points counts={dump.atPoints(selection.ofGroup, range(0, dump.groupCount))} />}
      </p>
      <div class="search">
        <input
          ref={box}
          type="search"
          aria-label="Search stacks, labels and ids"
          aria-invalid={error !== undefined}
          aria-describedby="query-error"
          placeholder="text in stacks, labels or ids; wait:5+   (/)"
          spellcheck={false}
          value={view.query}
          onInput={(event) => update({ query: event.currentTarget.value })}
          onKeyDown={(event) => event.key === "Escape" && update({ query: "" })}
        />
        <span id="query-error" class="error" role="alert">
          {error}
        </span>
      </div>
      <Conditions />
      <div class="choices">
        {isFiltered(view) && (
          <button
            onClick={() => update(UNFILTERED)}
          >
            Show all
          </button>
        )}
        {dump.document.values !== undefined && (
          <label>
            Value{" "}
            <select
              value={dump.document.value?.type}
              onChange={(event) => update({ value: event.currentTarget.value })}
            >
              {dump.document.values.map(({ type }) => (
                <option>{type}</option>
              ))}
            </select>
          </label>
        )}
        <label class="how">
          Order{" "}
          <select value={view.order} onChange={(event) => update({ order: event.currentTarget.value as Order })}>
            {ORDERS.map((order) => (
              <option value={order}>{ORDER_NAMES[order]}</option>
            ))}
          </select>
        </label>
        <label class="how">
          Frames{" "}
          <select value={view.mode} onChange={(event) => update({ mode: event.currentTarget.value as Mode })}>
            {MODES.map((mode) => (
              <option value={mode}>{MODE_NAMES[mode]}</option>
            ))}
          </select>
        </label>
        <button onClick={() => setTheme(nextTheme(theme))} aria-label={`Theme: ${theme}`}>
          {THEMES[theme]}
        </button>
        <button onClick={showHelp}>Keys (?)</button>
      </div>
    </header>
  );
}

/** Conditions on single fields, beside the search box. */
function Conditions() {
  const { view, update } = usePage();
  const [field, setField] = useState<Field>("function");
  const [text, setText] = useState("");
  const [not, setNot] = useState(false);
  const add = (event: Event) => {
    event.preventDefault();
    if (text === "") return;
    update({ conditions: [...view.conditions, { field, text, not }] });
    setText("");
  };
  return (
    <form class="conditions" onSubmit={add}>
      <select aria-label="Field" value={field} onChange={(event) => setField(event.currentTarget.value as Field)}>
        {FIELDS.map((field) => (
          <option>{field}</option>
        ))}
      </select>
      <select aria-label="Condition" value={String(not)} onChange={(event) => setNot(event.currentTarget.value === "true")}>
        <option value="false">has</option>
        <option value="true">hasn't</option>
      </select>
      <input aria-label="Text of the field" placeholder="text" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <button type="submit">Add</button>
      {view.conditions.map((condition) => (
        <button
          type="button"
          class="chip"
          onClick={() => update({ conditions: view.conditions.filter((other) => other !== condition) })}
        >
          {condition.field} {condition.not ? "hasn't" : "has"} {condition.text} ✕
        </button>
      ))}
    </form>
  );
}
