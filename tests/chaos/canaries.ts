/** Made-up personal things that are easy to find again, whatever was done to them on the way. */
export interface Canary {
  readonly email: string;
  readonly phone: string;
  readonly token: string;
  /** Where it is put. */
  readonly place: number;
}

const digits = (index: number) => String(index).padStart(6, '0');

export function makeCanary(index: number): Canary {
  return {
    email: `canary.bird${digits(index)}@mail.example`,
    phone: `+5697${digits(index)}7`,
    // What a token looks like: long, letters and digits mixed.
    token: `eyJcanaryX${digits(index)}aB3dE5fG7hJ9kL1mN2pQ4`,
    place: index,
  };
}

const word = /canary|5697\d{6}7(?!\d)/gi;

/** How many of them a text holds: as they are, or behind percent signs. */
export function canaryWords(text: string): number {
  const plain = text.match(word)?.length ?? 0;
  if (plain > 0 || !text.includes('%')) return plain;
  const decoded = text.replace(/(?:%[0-9a-f]{2})+/gi, (escaped) =>
    Buffer.from(escaped.replaceAll('%', ''), 'hex').toString('latin1'),
  );
  return decoded.match(word)?.length ?? 0;
}
