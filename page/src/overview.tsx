import { usePage } from "./page";
import { thousands } from "./text";

/** Findings shown at once; the others are in the list behind them. */
const FINDINGS_SHOWN = 8;

/** What to know first: the verdict, a crash above all, and what `check` finds. */
export function Overview() {
  const { dump, check, showStacks, goTo } = usePage();
  const findings = (check?.findings ?? []).filter((finding) => finding.suppressed === undefined);
  const ofShape = (shape: string | undefined) =>
    dump.document.stacks.shape.flatMap((own, stack) => (shape !== undefined && own === shape ? [stack] : []));
  const ofNames = (category = "", name = "") =>
    dump.document.stacks.name.flatMap((_, stack) =>
      dump.name(stack) === name && dump.category(stack) === category ? [stack] : [],
    );
  const finding = (one: (typeof findings)[number]) => {
    const exact = ofShape(one.shape);
    const stacks = exact.length > 0 ? exact : ofNames(one.category, one.name);
    return (
      <li class={one.level} data-testid="finding">
        <span class="word">{one.level}</span> <span class="check">{one.check}</span> <span>{one.text}</span>{" "}
        {stacks.length > 0 && <button onClick={() => showStacks(stacks)}>show</button>}
      </li>
    );
  };
  return (
    <details class="overview" open>
      <summary>
        Verdict
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
                return goroutine !== undefined && <button onClick={() => goTo(goroutine)}>go to {id}</button>;
              })}
            </dd>
          </>
        ))}
      </dl>
      {findings.length > 0 && (
        <ul class="findings" aria-label="Findings">
          {findings.slice(0, FINDINGS_SHOWN).map(finding)}
        </ul>
      )}
      {findings.length > FINDINGS_SHOWN && (
        <details>
          <summary>{thousands(findings.length - FINDINGS_SHOWN)} more findings</summary>
          <ul class="findings">{findings.slice(FINDINGS_SHOWN).map(finding)}</ul>
        </details>
      )}
    </details>
  );
}
