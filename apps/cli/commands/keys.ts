import { setTimeout as sleep } from 'node:timers/promises';
import { answer } from '@tributary/operations';
import { liveKeys, retireKeys, rewrapKeys, rotatedPurposes, rotateKey, settledAfterMs } from '@tributary/vault';
import { describeKeysInUse, rewrapRows } from '@tributary/vault/sealed-rows.ts';
import type { KeyPurpose } from '@tributary/vocabulary';
import { Argument, Command } from 'commander';
import { withLedgers } from '../ledgers.ts';
import { printItem } from '../output.ts';
import { sealedColumns } from '../sealed-columns.ts';

type Json = { json?: boolean };
const purpose = () => new Argument('<purpose>', 'what the key is for').choices(rotatedPurposes);
const all = 'all';
const asOwner = { asOwner: true } as const;
const rotating = { id: 'rotateKey', audit: { action: 'key_ring.rotated', of: 'key_ring:{data.purpose}' } } as const;
const retiring = { id: 'retireKeys', audit: { action: 'key_ring.retired', of: 'key_ring:{data.purpose}' } } as const;
const rewrapping = {
  id: 'rewrapKeys',
  audit: { action: 'key_ring.rewrapped', of: 'key_ring:{data.purpose}' },
} as const;
const rewrappingRows = {
  id: 'rewrapRows',
  audit: { action: 'key_ring.rewrapped', of: 'key_ring:{data.purpose}' },
} as const;
/** The table may have millions of rows. */
const scanTimeoutMs = 3_600_000;
const secondsToSettle = (newest: { created_at: Date } | undefined, now: Date): number =>
  newest ? Math.ceil((newest.created_at.getTime() + settledAfterMs - now.getTime()) / 1_000) : 0;
const sub = (name: string, description: string) =>
  new Command(name).description(description).option('--json', 'machine-readable output');

/** Rotates the service's own keys while it runs. */
export const keysCommand = () =>
  new Command('keys')
    .addCommand(
      sub('rotate', 'Add a key. It is used after 60 to 90 seconds, and older keys can still decrypt')
        .addArgument(new Argument('<purpose>', 'what the key is for').choices([...rotatedPurposes, all]))
        .action((name: KeyPurpose | typeof all, { json }: Json) =>
          withLedgers(async ({ operator, platform, now }) => {
            const ids: Partial<Record<KeyPurpose, string>> = {};
            for (const one of name === all ? rotatedPurposes : [name]) {
              const { body } = await operator.effect(rotating, asOwner, async (tx) =>
                answer(200, { data: { purpose: one, id: await rotateKey(tx, platform.masterVault(), one, now) } }),
              );
              ids[one] = body.data.id;
            }
            printItem(name === all ? ids : { purpose: name, id: ids[name] }, json, 'Rotated.');
          }),
        ),
    )
    .addCommand(
      sub('retire', 'Retire the older keys of a purpose. Values encrypted with them become unreadable')
        .addArgument(purpose())
        .option('--force', 'although rows are sealed under them, which then are lost')
        .action((name: KeyPurpose, { json, force }: Json & { force?: boolean }) =>
          withLedgers(async ({ operator, platform, now }) => {
            if (name === 'envelope' && !force) {
              const owner = await platform.postgres('owner', { poolSize: 1, statementTimeoutMs: scanTimeoutMs });
              const reasons = await owner.allShards.transaction(async (tx) => [
                await describeKeysInUse(tx, sealedColumns, now),
              ]);
              const reason = reasons.find((one) => one !== undefined);
              if (reason) throw new Error(reason);
            }
            const { body } = await operator.effect(retiring, asOwner, async (tx, addToAudit) => {
              const retired = await retireKeys(tx, name, now);
              const [newest] = await liveKeys(tx, name);
              if (retired === 0 && secondsToSettle(newest, now) > 0)
                throw new Error(
                  'The newest key is less than a minute old, so the previous key is still in use. Try again in a minute.',
                );
              addToAudit({ detail: { retired } });
              return answer(200, { data: { purpose: name, retired } });
            });
            printItem(body.data, json, 'Retired.');
          }),
        ),
    )
    .addCommand(
      sub('rewrap', 'Wrap all keys under the first key of ENCRYPTION_KEYS, so that the others can leave it').action(
        ({ json }: Json) =>
          withLedgers(async ({ operator, platform }) => {
            const { body } = await operator.effect(rewrapping, asOwner, async (tx, addToAudit) => {
              const rewrapped = await rewrapKeys(tx, platform.masterVault());
              addToAudit({ detail: { rewrapped } });
              return answer(200, { data: { purpose: 'all', rewrapped } });
            });
            printItem({ rewrapped: body.data.rewrapped }, json, 'Rewrapped.');
          }),
      ),
    )
    .addCommand(
      sub(
        'rewrap-rows',
        'Rewrap all stored secrets with the current envelope key, so that older keys can be retired',
      ).action(({ json }: Json) =>
        withLedgers(async ({ app, operator, platform, now }) => {
          const owner = await platform.postgres('owner', { poolSize: 1, statementTimeoutMs: scanTimeoutMs });
          const [newest] = await owner.home.unbound.transaction((tx) => liveKeys(tx, 'envelope'));
          const seconds = secondsToSettle(newest, now);
          if (seconds > 0) {
            console.error(`Waiting ${seconds} seconds until every process has loaded the newest key.`);
            await sleep(seconds * 1_000);
          }
          const ring = await platform.keys(app);
          const done = { rewrapped: 0, unreadable: 0 };
          for (const shard of owner.shards.values()) {
            const there = await rewrapRows(shard.unbound, sealedColumns, ring, (table, rows) =>
              console.error(`${table}: ${rows} rows`),
            );
            done.rewrapped += there.rewrapped;
            done.unreadable += there.unreadable;
          }
          await operator.effect(rewrappingRows, asOwner, async (_tx, addToAudit) => {
            addToAudit({ detail: { ...done } });
            return answer(200, { data: { purpose: 'envelope' } });
          });
          printItem({ ...done }, json, 'Rewrapped.');
          if (done.unreadable > 0) process.exitCode = 1;
        }),
      ),
    );
