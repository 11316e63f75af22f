import { join } from 'node:path';
import { attributionModelNames } from '@tributary/vocabulary';

/** An earlier version whose backup is stored here together with the responses of its reports. */
export interface EarlierVersion {
  /** Its folder beside this file. */
  readonly name: string;
  readonly commit: string;
  /** The dates of its data. */
  readonly from: string;
  readonly to: string;
}

/** Released versions, and one from before the first. `node tests/upgrade/make.ts NAME COMMIT` adds one. */
export const earlierVersions: readonly EarlierVersion[] = [
  { name: 'before-0.1.0', commit: '5bef5ad136b2f0c4b3bbec36fd51b32d3b04563a', from: '2026-11-08', to: '2026-11-15' },
  { name: 'v0.1.0', commit: 'a5aaddb409b510a74e376cc3a50acdd8e1c14846', from: '2026-11-10', to: '2026-11-17' },
];

export const folderOf = (name: string): string => join(import.meta.dirname, name);

/** Not secret: the keys of the stored backups. */
export const backupKeys = `u1:${Buffer.alloc(32, 4).toString('base64')}`;
export const encryptionKeys = `k1:${Buffer.alloc(32, 5).toString('base64')}`;

/** The requests sent to every version, for the dates of its data. */
export const questions = ({ from, to }: { readonly from: string; readonly to: string }): string[] => {
  const days = `date_from=${from}&date_to=${to}`;
  return [
    `/api/v1/overview?${days}`,
    ...attributionModelNames.flatMap((model) => [
      `/api/v1/campaigns?${days}&model=${model}`,
      `/api/v1/campaigns/unattributed?${days}&model=${model}`,
    ]),
    `/api/v1/campaigns?${days}&model=linear&level=ad`,
    `/api/v1/customers?${days}&goal=payment_received&limit=100`,
    `/api/v1/payments?from=${from}&to=${to}&limit=100`,
  ];
};

/** The differences between two responses, ignoring fields that only the later one has. */
export function differences(before: unknown, after: unknown, at = ''): string[] {
  if (Array.isArray(before)) {
    const found = Array.isArray(after) ? after : [];
    const lengths = before.length === found.length ? [] : [`${at}: ${before.length} rows, now ${found.length}`];
    return [...lengths, ...before.flatMap((one, index) => differences(one, found[index], `${at}[${index}]`))];
  }
  if (before !== null && typeof before === 'object')
    return Object.entries(before).flatMap(([name, value]) =>
      differences(value, (after as Readonly<Record<string, unknown>> | undefined)?.[name], `${at}.${name}`),
    );
  return isSameValue(before, after) ? [] : [`${at}: ${JSON.stringify(before)}, now ${JSON.stringify(after)}`];
}

const figure = /^-?\d+(\.\d+)?$/;

/** Versions before 0.2 wrote amounts without their last zeros ("40.4") and ratios with all digits of a float. */
function isSameValue(before: unknown, after: unknown): boolean {
  if (before === after) return true;
  if (typeof before === 'number' && typeof after === 'number') return Number(before.toFixed(6)) === after;
  if (typeof before !== 'string' || typeof after !== 'string') return false;
  return figure.test(before) && figure.test(after) && Number(before) === Number(after);
}
