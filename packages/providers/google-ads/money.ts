const perUnit = 1_000_000n;

/** Converts micros to a decimal: "1230000" to "1.23". A micro is a millionth of a major unit in every currency. */
export function fromMicros(micros: string): string {
  const amount = BigInt(micros);
  const fraction = String(amount % perUnit)
    .padStart(6, '0')
    .replace(/0+$/, '');
  return fraction === '' ? String(amount / perUnit) : `${amount / perUnit}.${fraction}`;
}

/** Returns undefined if the amount is not a whole number of micros. */
export function toMicros(amount: string): string | undefined {
  const read = /^(\d+)(?:\.(\d{1,6}))?$/.exec(amount);
  if (!read) return undefined;
  return String(BigInt(read[1] ?? '0') * perUnit + BigInt((read[2] ?? '').padEnd(6, '0')));
}
