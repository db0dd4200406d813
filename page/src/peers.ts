/** Which of some numbers differ from the others: the rule of `summarize --pivot input`. */

/** Fewer numbers have no peers to differ from. */
const LEAST_PEERS = 4;
/** Added before logarithms are taken, so that 3 isn't three times 1. */
const SMALL = 10;
/** How many spreads from the centre a number must be. */
const SPREADS = 5;
/** The spread is taken for at least this: what differs is 4.5 times the median. */
const LEAST_SPREAD = 0.3;
/** What the median distance of numbers that are distributed normally is multiplied with to be their sigma. */
const SIGMA = 1.4826;
/** When more than one in so many differ, there are several sorts of inputs and none is odd. */
const FEW = 8;
const LEAST_GOROUTINES = 20;
const LEAST_SHARE = 0.02;

export function median(numbers: number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  if (sorted.length === 0) return 0;
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/** By how much a number of some inputs differs at least, where they have this in all. */
export function leastDifference(totals: number[]): number {
  if (totals.length < LEAST_PEERS) return LEAST_GOROUTINES;
  return Math.max(LEAST_GOROUTINES, LEAST_SHARE * Math.abs(median(totals)));
}

/** The positions of the numbers that differ from the others by `least` or more; none where many do. */
export function outliers(numbers: number[], least: number): Set<number> {
  if (numbers.length < LEAST_PEERS) return new Set();
  const logarithm = (number: number) => Math.log(Math.abs(number) + SMALL);
  const centre = median(numbers.map(logarithm));
  const spread = Math.max(SIGMA * median(numbers.map((one) => Math.abs(logarithm(one) - centre))), LEAST_SPREAD);
  const middle = median(numbers);
  const found = numbers.flatMap((one, at) =>
    Math.abs(logarithm(one) - centre) > SPREADS * spread && Math.abs(one - middle) >= least ? [at] : [],
  );
  return new Set(found.length <= Math.max(Math.floor(numbers.length / FEW), 1) ? found : []);
}
