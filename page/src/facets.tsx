import { useMemo, useState } from "preact/hooks";
import { thousands } from "./amount";
import type { Dump } from "./dump";
import type { Selection } from "./filter";
import { usePage } from "./page";
import { toggled } from "./stacks";


/** Values of a facet shown at once. */
const SHOWN = 12;

interface Value {
  name: string;
  shown: number;
  of: number;
}

/** What there is to choose from beside the list: inputs, states, kinds, labels. */
export function Facets({ open }: { open: boolean }) {
  const { dump, selection, view, update } = usePage();
  const { state, kind } = dump.document.groups;
  const states = useMemo(
    () => counted(dump, selection, (group) => state[group], (group) => [dump.state(group)]),
    [dump, selection],
  );
  const kinds = useMemo(() => counted(dump, selection, (group) => kind[group], (group) => [dump.kind(group)]), [dump, selection]);
  const labels = useMemo(
    () => counted(dump, selection, (group) => dump.labelKey(group), (group) => dump.labelTextsOf(group)),
    [dump, selection],
  );
  return (
    <aside id="choose" aria-label="Choose" class={open ? "open" : ""}>
      <Inputs />
      {dump.document.value === undefined && (
        <>
          <Facet title="States" values={states} chosen={view.states} choose={(states) => update({ states })} />
          <Facet title="Kinds" values={kinds} chosen={view.kinds} choose={(kinds) => update({ kinds })} />
        </>
      )}
      <Facet title="Labels" values={labels} chosen={view.labels} choose={(labels) => update({ labels })} />
    </aside>
  );
}

/** Values with their counts, most first: groups are added up by a number, of which texts are made once. */
function counted(dump: Dump, selection: Selection, keyOf: (group: number) => number, texts: (group: number) => string[]): Value[] {
  const byKey = new Map<number, { group: number; shown: number; of: number }>();
  const { count } = dump.document.groups;
  for (let group = 0; group < dump.groupCount; group++) {
    if (!dump.isNow(group)) continue;
    const key = keyOf(group);
    let sum = byKey.get(key);
    if (sum === undefined) byKey.set(key, (sum = { group, shown: 0, of: 0 }));
    sum.shown += selection.ofGroup[group];
    sum.of += count[group];
  }
  const values = new Map<string, Value>();
  for (const { group, shown, of } of byKey.values()) {
    for (const name of texts(group)) {
      let value = values.get(name);
      if (value === undefined) values.set(name, (value = { name, shown: 0, of: 0 }));
      value.shown += shown;
      value.of += of;
    }
  }
  return [...values.values()].sort((a, b) => b.of - a.of || (a.name < b.name ? -1 : 1));
}

interface FacetProps {
  title: string;
  values: Value[];
  chosen: ReadonlySet<string>;
  choose: (chosen: Set<string>) => void;
}

function Facet({ title, values, chosen, choose }: FacetProps) {
  const { dump } = usePage();
  const [all, setAll] = useState(false);
  if (values.length === 0) return null;
  const listed = all ? values : values.filter((value, at) => at < SHOWN || chosen.has(value.name));
  return (
    <fieldset>
      <legend>{title}</legend>
      {listed.map((value) => (
        <label class={value.shown === 0 ? "none" : ""}>
          <input type="checkbox" checked={chosen.has(value.name)} onChange={() => choose(toggled(chosen, value.name))} />
          <span class="name">{value.name}</span>
          <span class="count">{dump.ofAll(value.shown, value.of)}</span>
        </label>
      ))}
      {listed.length < values.length && (
        <button onClick={() => setAll(true)}>{thousands(values.length - listed.length)} more</button>
      )}
    </fieldset>
  );
}

/** Inputs, each to be hidden or shown alone. */
function Inputs() {
  const { dump, selection, view, update } = usePage();
  const counts = useMemo(() => {
    const counts = dump.inputs.map(() => ({ shown: 0, of: 0 }));
    for (let group = 0; group < dump.groupCount; group++) {
      const count = counts[dump.document.groups.input[group]];
      count.shown += selection.ofGroup[group];
      count.of += dump.document.groups.count[group];
    }
    return counts;
  }, [dump, selection]);
  if (dump.inputs.length < 2) return null;
  const hidden = view.hiddenInputs;
  const others = (input: number) => dump.inputs.flatMap((_, at) => (at === input ? [] : [at]));
  const isAlone = (input: number) => !hidden.has(input) && hidden.size === dump.inputs.length - 1;
  return (
    <fieldset data-testid="inputs">
      <legend>Inputs</legend>
      {dump.inputs.map((input, at) => (
        <div class="choice">
          <label class={counts[at].shown === 0 ? "none" : ""}>
            <input type="checkbox" checked={!hidden.has(at)} onChange={() => update({ hiddenInputs: toggled(hidden, at) })} />
            <span class="name">{input.name}</span>
            <span class="count">{dump.ofAll(counts[at].shown, counts[at].of)}</span>
          </label>
          <button
            aria-pressed={isAlone(at)}
            aria-label={`only ${input.name}`}
            onClick={() => update({ hiddenInputs: new Set(isAlone(at) ? [] : others(at)) })}
          >
            only
          </button>
        </div>
      ))}
    </fieldset>
  );
}
