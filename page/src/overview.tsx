import { useMemo } from "preact/hooks";
import type { Dump } from "./dump";
import type { Finding } from "./document";
import { usePage } from "./page";
import { thousands } from "./amount";

/** Findings shown at once; the others are in the list behind them. */
const FINDINGS_SHOWN = 8;

/** What to know first: the verdict, a crash above all, and what `check` finds, unless that is what is looked at. */
export function Overview({ hasFindings }: { hasFindings: boolean }) {
  const { dump, documents, showStacks, goTo, update } = usePage();
  const findings = (documents.check?.findings ?? []).filter((finding) => finding.suppressed === undefined);
  const stacksOf = useMemo(() => stacksOfFindings(dump), [dump]);
  const finding = (one: Finding) => {
    const stacks = stacksOf(one);
    return (
      <li class={one.level} data-testid="finding">
        <span class="word">{one.level}</span>
        <span>
          <span class="check">{one.check}</span> {one.text}{" "}
          {stacks.length > 0 && <button onClick={() => showStacks(stacks)}>show</button>}
        </span>
      </li>
    );
  };
  return (
    <details class="overview" open>
      <summary>
        Verdict{dump.points.length > 1 && ` on ${dump.points[dump.points.length - 1]}`}
        {findings.length > 0 && ` and ${thousands(findings.length)} ${findings.length === 1 ? "finding" : "findings"}`}
      </summary>
      <dl data-testid="verdict">
        {dump.document.verdict.map((line) => (
          <>
            <dt>{line.label}</dt>
            <dd class={line.tone}>
              {line.code ? <code>{line.text}</code> : line.text}{" "}
              {line.stacks && <button onClick={() => showStacks(line.stacks ?? [])}>show</button>}
              {line.goroutines?.map(([input, id]) => {
                const goroutine = dump.find(input, id);
                return goroutine !== undefined && [<button onClick={() => goTo(goroutine)}>go to {id}</button>, " "];
              })}
            </dd>
          </>
        ))}
      </dl>
      {hasFindings && findings.length > 0 && (
        <ul class="findings" aria-label="Findings">
          {findings.slice(0, FINDINGS_SHOWN).map(finding)}
        </ul>
      )}
      {hasFindings && findings.length > FINDINGS_SHOWN && (
        <button onClick={() => update({ sheet: "findings" }, true)}>{thousands(findings.length - FINDINGS_SHOWN)} more findings</button>
      )}
    </details>
  );
}

/** The stacks that a finding is about, as a question: those of its shape, else those of its name. */
export function stacksOfFindings(dump: Dump): (finding: Finding) => number[] {
  const byShape = new Map<string, number[]>();
  const byName = new Map<string, number[]>();
  const add = (map: Map<string, number[]>, key: string, stack: number) => {
    const known = map.get(key);
    if (known) known.push(stack);
    else map.set(key, [stack]);
  };
  dump.document.stacks.shape.forEach((shape, stack) => {
    add(byShape, shape, stack);
    add(byName, `${dump.category(stack)}\n${dump.name(stack)}`, stack);
  });
  return ({ shape = "", category = "", name = "" }) => byShape.get(shape) ?? byName.get(`${category}\n${name}`) ?? [];
}
