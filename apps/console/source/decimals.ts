/** Exact sums of the decimals that the API returns as text. A float would lose the last cent, which is exactly what readers check. */

interface Scaled {
  readonly digits: bigint;
  readonly scale: number;
}

function scaled(text: string): Scaled {
  const [whole = '0', fraction = ''] = text.split('.');
  return { digits: BigInt(`${whole}${fraction}`), scale: fraction.length };
}

const at = ({ digits, scale }: Scaled, wanted: number): bigint => digits * 10n ** BigInt(wanted - scale);

export function sum(texts: readonly string[]): string {
  const parts = texts.map(scaled);
  const scale = Math.max(0, ...parts.map((part) => part.scale));
  return written(
    parts.reduce((total, part) => total + at(part, scale), 0n),
    scale,
  );
}

export const difference = (from: string, subtrahend: string): string => sum([from, negated(subtrahend)]);

export const isZero = (text: string): boolean => scaled(text).digits === 0n;

/** The fraction of the whole, from 0 to 1. Only for widths of bars, where a float is precise enough. */
export function share(part: string, whole: string): number {
  const of = Number(whole);
  return of === 0 ? 0 : Math.min(1, Math.max(0, Number(part) / of));
}

const negated = (text: string): string => (text.startsWith('-') ? text.slice(1) : `-${text}`);

function written(digits: bigint, scale: number): string {
  const sign = digits < 0n ? '-' : '';
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const [whole, fraction] = [text.slice(0, text.length - scale), text.slice(text.length - scale).replace(/0+$/, '')];
  return `${sign}${whole}${fraction && `.${fraction}`}`;
}
