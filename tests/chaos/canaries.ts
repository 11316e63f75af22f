/** Fake personal data that can be found again after encoding or truncation. */
export interface Canary {
  readonly email: string;
  readonly phone: string;
  readonly token: string;
  /** Selects where in a visit the canary is placed. */
  readonly position: number;
}

const digits = (index: number) => String(index).padStart(6, '0');

export function makeCanary(index: number): Canary {
  return {
    email: `canary.bird${digits(index)}@mail.example`,
    phone: `+5697${digits(index)}7`,
    // Looks like a token: long, with mixed letters and digits.
    token: `eyJcanaryX${digits(index)}aB3dE5fG7hJ9kL1mN2pQ4`,
    position: index,
  };
}

const word = /canary|5697\d{6}7(?!\d)/gi;

/** Counts the canary values in a text, in plain form or, if there are none, percent-encoded. */
export function canaryWords(text: string): number {
  const plain = text.match(word)?.length ?? 0;
  if (plain > 0 || !text.includes('%')) return plain;
  const decoded = text.replace(/(?:%[0-9a-f]{2})+/gi, (escaped) =>
    Buffer.from(escaped.replaceAll('%', ''), 'hex').toString('latin1'),
  );
  return decoded.match(word)?.length ?? 0;
}
