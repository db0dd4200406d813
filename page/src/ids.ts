/** A goroutine's id: a number, or text where it is too large for one. */
type Id = number | string;

export function keyOf(id: string): Id {
  const number = Number(id);
  return Number.isSafeInteger(number) ? number : id;
}

const HIGH = 2 ** 32;

/**
 * Finds goroutines by their ids: a hash table in one array, since a Map of half a million takes a quarter of a second. Of
 * ids that stand twice in an input it finds the first.
 */
export class Ids {
  /** One more than a position; 0 where there is none. */
  private readonly table: Int32Array;
  private readonly mask: number;
  /** Nobody can choose ids that all fall on one place. */
  private readonly seed = Math.floor(Math.random() * HIGH);
  private readonly large = new Map<string, number>();

  constructor(
    private readonly ids: Float64Array,
    large: ReadonlyMap<number, string>,
    private readonly inputOf: (goroutine: number) => number,
  ) {
    let size = 8;
    while (size < 2 * ids.length) size *= 2;
    this.table = new Int32Array(size);
    this.mask = size - 1;
    for (let at = 0; at < ids.length; at++) {
      const text = large.size === 0 ? undefined : large.get(at);
      if (text === undefined) {
        const place = this.place(inputOf(at), ids[at]);
        if (this.table[place] === 0) this.table[place] = at + 1;
      } else {
        const key = `${inputOf(at)} ${text}`;
        if (!this.large.has(key)) this.large.set(key, at);
      }
    }
  }

  find(input: number, id: Id): number | undefined {
    if (typeof id === "string") return this.large.get(`${input} ${id}`);
    const found = this.table[this.place(input, id)];
    return found === 0 ? undefined : found - 1;
  }

  /** Where this id stands, or would stand. */
  private place(input: number, id: number): number {
    let hash = Math.imul(id ^ this.seed, 0x9e3779b1) ^ Math.imul(Math.floor(id / HIGH) ^ (input + 1), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
    let place = (hash ^ (hash >>> 13)) & this.mask;
    for (let at = this.table[place]; at !== 0; at = this.table[place]) {
      if (this.ids[at - 1] === id && this.inputOf(at - 1) === input) break;
      place = (place + 1) & this.mask;
    }
    return place;
  }
}
