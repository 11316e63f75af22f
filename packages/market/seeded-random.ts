/**
 * A reproducible random generator: the same three numbers give the same sequence, on every machine. Each part of a
 * market has a generator of its own (a household by its index), so any part can be generated without the rest. It
 * uses only sums, products and shifts, because logarithms and powers are not guaranteed to be equal everywhere. The
 * generator is sfc32 (PractRand's small fast counter), which passes the usual tests of randomness and has four words
 * of state.
 */
export class SeededRandom {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number, of: number, index: number) {
    this.#a = seed | 0;
    // Seeds above 32 bits count, too: two seeds that differ only in the high bits give different markets.
    this.#b = Math.imul(of, 0x9e3779b1) ^ Math.floor(seed / 0x1_0000_0000);
    this.#c = index | 0;
    for (let round = 0; round < 12; round += 1) this.throw();
  }

  /** 32 random bits. */
  throw(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** From 0 to 1, excluding 1. */
  unit(): number {
    return this.throw() / 0x1_0000_0000;
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  /** An integer from 0 to the end, excluding the end. */
  below(end: number): number {
    return Math.floor(this.unit() * end);
  }

  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  /** A version 7 UUID of the given time. */
  uuid7(at: number): string {
    const [early, late, rest] = [Math.floor(at / 0x1_0000), at % 0x1_0000, this.throw()];
    return `${hex8(early)}-${hex4(late)}-${hex4(0x7000 | ((rest >>> 16) & 0xfff))}-${hex4((rest & 0x3fff) | 0x8000)}-${hex4(this.throw() >>> 16)}${hex8(this.throw())}`;
  }

  /** A version 8 UUID, like a stored visitor id. */
  uuid8(): string {
    const [first, middle, rest] = [this.throw(), this.throw(), this.throw()];
    return `${hex8(first)}-${hex4(middle >>> 16)}-${hex4(0x8000 | (middle & 0xfff))}-${hex4(((rest >>> 16) & 0x3fff) | 0x8000)}-${hex4(rest)}${hex8(this.throw())}`;
  }
}

const quads: readonly string[] = Array.from({ length: 0x1_0000 }, (_, number) => number.toString(16).padStart(4, '0'));
const hex4 = (number: number): string => quads[number & 0xffff] as string;
const hex8 = (number: number): string => hex4(number >>> 16) + hex4(number);

/** Returns a function that generates numbers from 0 to 1, excluding 1. */
export function createDice(seed: number): () => number {
  const dice = new SeededRandom(seed, 0x5a4d, 0);
  return () => dice.unit();
}
