/** Numbers for people: plain ones, and values in the unit that suits them, as `stackgazer` writes them. */

interface Unit {
  name: string;
  /** The names that it goes by; none where no profile is in it. */
  also?: RegExp;
  /** How much of the smallest unit of its family it is. */
  size: number;
  /** From which value on it is taken, where that isn't one of it: 119 s say more than 1.98 min. */
  from?: number;
}

const FAMILIES: Unit[][] = [
  [
    { name: "B", also: /^b(yte)?$/, size: 1 },
    { name: "KiB", also: /^k(ilo)?b(yte)?$/, size: 1024 },
    { name: "MiB", also: /^m(ega)?b(yte)?$/, size: 1024 ** 2 },
    { name: "GiB", also: /^g(iga)?b(yte)?$/, size: 1024 ** 3 },
    { name: "TiB", also: /^t(era)?b(yte)?$/, size: 1024 ** 4 },
    { name: "EiB", size: 1024 ** 6 },
  ],
  [
    { name: "ns", also: /^(ns|nanosecond)$/, size: 1 },
    { name: "µs", also: /^([uμ]s|microsecond)$/, size: 1e3 },
    { name: "ms", also: /^(ms|millisecond)$/, size: 1e6 },
    { name: "s", also: /^(s|sec|second)$/, size: 1e9 },
    { name: "min", size: 60e9, from: 120e9 },
    { name: "h", also: /^(hr|hour)$/, size: 3600e9, from: 7200e9 },
    { name: "d", size: 86_400e9, from: 172_800e9 },
  ],
];

const NUMBER = new Intl.NumberFormat("en-US");

export function thousands(count: number): string {
  return NUMBER.format(count);
}

/** A value as people read it: `1,404`, `1.50 MiB`, `160 ms`. */
export function amountText(value: number, unit = "count"): string {
  if (value === 0) return "0";
  const lower = unit.toLowerCase();
  const name = lower.length > 2 ? lower.replace(/s$/, "") : lower;
  for (const family of FAMILIES) {
    const given = family.find(({ also }) => also?.test(name));
    if (given === undefined) continue;
    const smallest = value * given.size;
    const to = family.findLast(({ size, from = size }) => from <= Math.abs(smallest)) ?? family[0];
    const number = smallest / to.size;
    // Three digits that count; the smallest units have no fractions.
    const digits = to.size === 1 || Math.abs(number) >= 100 ? 0 : Math.abs(number) >= 10 ? 1 : 2;
    return `${number.toFixed(digits)} ${to.name}`;
  }
  return unit === "" || unit === "count" ? thousands(value) : `${thousands(value)} ${unit}`;
}

/** With its sign. */
export function changeText(value: number, unit?: string): string {
  return value > 0 ? `+${amountText(value, unit)}` : amountText(value, unit);
}

export function percentText(share: number): string {
  const percent = 100 * share;
  return `${Math.abs(percent) >= 100 ? percent.toFixed(0) : percent.toFixed(1)}%`;
}
