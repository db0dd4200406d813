import { useMemo, useState } from "preact/hooks";
import { thousands } from "./amount";
import type { Finding, Place } from "./document";
import { stacksOfFindings } from "./overview";
import { usePage } from "./page";
import { PlaceLink } from "./place";

const LEVELS = ["error", "warning", "note"] as const;
/** Findings shown at first, and with each click more. */
const FINDINGS = 100;

/** What `check` found, with what it found it in, and what was taken out by whom. */
export function Findings() {
  const { dump, documents, showStacks } = usePage();
  const [levels, setLevels] = useState<ReadonlySet<string>>(new Set(LEVELS));
  const [shown, setShown] = useState(FINDINGS);
  const stacksOf = useMemo(() => stacksOfFindings(dump), [dump]);
  const check = documents.check;
  if (check === undefined) return null;
  const all = check.findings ?? [];
  const open = all.filter((one) => one.suppressed === undefined);
  const covered = [...all.filter((one) => one.suppressed !== undefined), ...(check.built_in ?? [])];
  const chosen = open.filter((one) => levels.has(one.level));
  const of = (level: string) => open.filter((one) => one.level === level).length;
  const toggle = (level: string) => {
    const changed = new Set(levels);
    if (!changed.delete(level)) changed.add(level);
    setLevels(changed);
  };
  const row = (one: Finding) => {
    const stacks = stacksOf(one);
    return (
      <li class={one.level} data-testid="checked">
        <span class="word">{one.level}</span>
        <div>
          <p>
            <span class="check">{one.check}</span> <strong>{one.text}</strong>{" "}
            {one.counts.length > 1 && <span class="facts">({one.counts.map(thousands).join(" → ")})</span>}{" "}
            {stacks.length > 0 && <button onClick={() => showStacks(stacks)}>show</button>}
          </p>
          {one.suppressed !== undefined && (
            <p class="facts">
              taken out by {one.suppressed.source}: {one.suppressed.reason}
            </p>
          )}
          {one.processes.length > 1 && (
            <p class="facts">in {one.processes.map(({ name, count }) => `${name} (${thousands(count)})`).join(", ")}</p>
          )}
          {(one.frames.length > 0 || one.created_by !== undefined) && (
            <ol class="frames combined">
              {one.frames.map((frame) => (
                <Frame frame={frame} />
              ))}
              {one.created_by !== undefined && <Frame frame={one.created_by} word="created by " />}
            </ol>
          )}
        </div>
      </li>
    );
  };
  return (
    <section class="sheet" aria-label="Findings">
      <p class={check.verdict === "fail" ? "alarm" : "strong"} data-testid="gate">
        {check.verdict === "fail" ? "Fail" : "Pass"}: a gate fails on findings of level {check.fail_on}
        {check.fail_on === "error" ? "" : " and worse"}
      </p>
      {check.blind.map((why) => (
        <p class="error">Can't be judged: {why}</p>
      ))}
      <div class="choices">
        {LEVELS.map((level) => (
          <label>
            <input type="checkbox" checked={levels.has(level)} onChange={() => toggle(level)} /> {thousands(of(level))} {level}
            {of(level) === 1 ? "" : "s"}
          </label>
        ))}
      </div>
      <ul class="findings">{chosen.slice(0, shown).map(row)}</ul>
      {chosen.length > shown && (
        <button onClick={() => setShown(shown + FINDINGS)}>{thousands(chosen.length - shown)} more findings</button>
      )}
      {check.unproven.map((text) => (
        <p class="facts">{text}</p>
      ))}
      {check.suppressed_built_in > 0 && check.built_in === undefined && (
        <p class="facts">{thousands(check.suppressed_built_in)} more are what the built-in catalogue knows to be harmless.</p>
      )}
      {covered.length > 0 && (
        <details>
          <summary>{thousands(covered.length)} taken out</summary>
          <ul class="findings">{covered.slice(0, shown).map(row)}</ul>
          {covered.length > shown && <p class="facts">and {thousands(covered.length - shown)} more</p>}
        </details>
      )}
    </section>
  );
}

function Frame({ frame, word = "" }: { frame: Place; word?: string }) {
  return (
    <li>
      {word}
      <code class="func">{frame.func}</code>
      <PlaceLink text={`${frame.file}:${frame.line}`} module={frame.module} source={frame.source} />
    </li>
  );
}
