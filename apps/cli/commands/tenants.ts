import { clickhouseSettings, deleteProfileRows } from '@tributary/clickhouse';
import { repriceOutcomes } from '@tributary/domain/commerce/outcomes/module.ts';
import * as tenants from '@tributary/domain/tenancy/tenants/module.ts';
import { deleteDeadLettersOf, visitsConsumer } from '@tributary/domain/traffic/ingestion/module.ts';
import type { Operator } from '@tributary/operations';
import { findBackupFolder, keepsNotes } from '@tributary/platform';
import { homeShard, type Plan, type PrivacyMode, plans, privacyModes } from '@tributary/vocabulary';
import { Argument, Command, Option } from 'commander';
import { type Ledgers, withLedgers } from '../ledgers.ts';
import { printItem, printRows } from '../output.ts';
import { moveCommand } from './move-workspace.ts';

type Json = { json?: boolean };
const listLimit = 1_000;

/** Deletion is final, so it requires --yes. */
function deleteCommand(noun: 'workspace' | 'profile', description: string): Command {
  return sub('delete', description)
    .argument(`[${noun}]`, `id of the ${noun}`)
    .option('--yes', 'really: it cannot be undone')
    .option('--no-wait', 'leave it to the worker')
    .option('--status', 'how far deletions are, of all tenants or of this one')
    .action((id: string | undefined, { json, yes, wait, status }: Json & DeleteFlags) =>
      withLedgers(async (ledgers) => {
        if (status) return showDeletions(ledgers, json, id);
        if (!id || !yes) throw new Error(`Name the ${noun}, and say --yes: it cannot be undone.`);
        const profileIds = await archive(ledgers.operator, noun, id);
        if (!wait) return printItem({ id, deleted: true }, json, 'Archived. The worker removes it from every store.');
        await deleteNow(ledgers, [...profileIds, ...(noun === 'workspace' ? [id] : [])]);
        printItem({ id, deleted: true }, json, 'Deleted from every store. The worker looks again in a day.');
      }),
    );
}

interface DeleteFlags {
  readonly yes?: boolean;
  readonly wait: boolean;
  readonly status?: boolean;
}

interface WorkspaceFlags {
  readonly plan: Plan;
  readonly shard: string;
  readonly healthcare?: boolean;
}

interface ProfileFlags {
  readonly name?: string;
  readonly timeZone?: string;
  readonly currency?: string;
}

const showDeletions = async ({ operator }: Ledgers, json: boolean | undefined, id?: string): Promise<void> =>
  printRows(
    await operator.everywhere.transaction((tx) => tenants.listDeletionStatus(tx, listLimit, id)),
    json,
    'Nothing is being deleted.',
  );

/** Runs beside the worker, which does the same; either one continues where the other stopped. */
async function deleteNow({ app, platform, settings }: Ledgers, tenantIds: readonly string[]): Promise<void> {
  const system = await platform.postgres('system', { poolSize: 2 });
  const stream = await platform.stream();
  const clickhouse = clickhouseSettings(settings);
  const stores: Omit<tenants.DeletionStores, 'system'> = {
    app,
    log: {
      end: () => stream.end(),
      consumedThrough: () => stream.consumedThrough(visitsConsumer),
    },
    forgetColumns: (profileId) => deleteProfileRows(clickhouse, profileId),
    forgetLetters: (profileId, signal) => deleteDeadLettersOf(stream, profileId, signal),
    keepNote: keepsNotes(findBackupFolder(settings)).deleted,
    now: platform.now,
  };
  const { signal } = new AbortController();
  for (const id of tenantIds)
    await tenants.untilEmptied({ ...stores, system: await system.shardOf(id) }, id, signal, (phase) =>
      console.error(`${id}: ${phase}`),
    );
}

/** Resolves to the profiles to delete. */
async function archive(operator: Operator, noun: 'workspace' | 'profile', id: string): Promise<string[]> {
  if (noun === 'profile') {
    await tenants.archiveProfileByOperator(operator, id);
    return [id];
  }
  await tenants.archiveWorkspaceByOperator(operator, id);
  const profiles = await operator.everywhere.transaction((tx) => tenants.listProfiles(tx, listLimit, id));
  return profiles.map((profile) => profile.id);
}

const sub = (name: string, description: string) =>
  new Command(name).description(description).option('--json', 'machine-readable output');

export function workspaceCommand(): Command {
  return new Command('workspace')
    .addCommand(
      sub('create', 'Create a workspace')
        .argument('<name>')
        .addOption(new Option('--plan <plan>').choices(Object.keys(plans)).default('scale'))
        .option('--shard <name>', 'the server of the ledger that keeps it, of LEDGER_SHARDS', homeShard)
        .option('--healthcare', 'mark it as a healthcare agency: partner apps never see people in it')
        .action((name: string, { plan, shard, healthcare = false, json }: WorkspaceFlags & Json) =>
          withLedgers(async ({ operator }) => {
            const workspace = { name, plan, is_healthcare_agency: healthcare };
            const id = await tenants.createWorkspaceByOperator(operator, workspace, shard);
            printItem({ id, name, plan, shard }, json, 'Created.');
          }),
        ),
    )
    .addCommand(
      sub('list', 'List workspaces').action(({ json }: Json) =>
        withLedgers(async ({ operator }) =>
          printRows(
            await operator.everywhere.transaction(async (tx, shard) =>
              (await tenants.listWorkspaces(tx, listLimit)).map((row) => ({ ...row, shard })),
            ),
            json,
            'There are no workspaces yet.',
          ),
        ),
      ),
    )
    .addCommand(
      sub('plan', 'Move a workspace to another plan')
        .argument('<workspace>', 'id of the workspace')
        .addArgument(new Argument('<plan>').choices(Object.keys(plans)))
        .action((id: string, plan: Plan, { json }: Json) =>
          withLedgers(async ({ operator }) => {
            await tenants.setPlanByOperator(operator, id, plan);
            printItem({ id, plan }, json, 'Set.');
          }),
        ),
    )
    .addCommand(moveCommand())
    .addCommand(deleteCommand('workspace', 'Delete a workspace with all of its profiles, from every store'));
}

export function profileCommand(): Command {
  return new Command('profile')
    .addCommand(
      sub('create', 'Create a profile in a workspace')
        .argument('<workspace>', 'id of the workspace')
        .argument('<name>')
        .addOption(new Option('--privacy <mode>').choices(privacyModes).default('standard'))
        .option('--time-zone <zone>', 'IANA name, like America/Santiago', 'UTC')
        .option('--currency <code>', 'reporting currency', 'USD')
        .action(
          (
            workspaceId: string,
            name: string,
            { privacy, timeZone, currency, json }: { privacy: PrivacyMode; timeZone: string; currency: string } & Json,
          ) =>
            withLedgers(async ({ operator }) => {
              const id = await tenants.createProfileByOperator(operator, {
                workspace_id: workspaceId,
                name,
                privacy_mode: privacy,
                time_zone: timeZone,
                reporting_currency: currency,
              });
              const profile = { workspaceId, name, privacyMode: privacy, timeZone, reportingCurrency: currency };
              printItem({ id, ...profile }, json, 'Created.');
            }),
        ),
    )
    .addCommand(
      sub('list', 'List profiles')
        .option('--workspace <id>', 'only those of one workspace')
        .action(({ workspace, json }: { workspace?: string } & Json) =>
          withLedgers(async ({ operator }) =>
            printRows(
              await operator.everywhere.transaction((tx) => tenants.listProfiles(tx, listLimit, workspace)),
              json,
              'There are no profiles yet.',
            ),
          ),
        ),
    )
    .addCommand(
      sub('update', 'Change a profile’s name, time zone or reporting currency')
        .argument('<profile>', 'id of the profile')
        .option('--name <name>')
        .option('--time-zone <zone>', 'IANA name, like America/Santiago')
        .option('--currency <code>', 'reporting currency: all money is converted anew')
        .action((id: string, { name, timeZone, currency, json }: ProfileFlags & Json) =>
          withLedgers(async ({ operator, app }) => {
            const changes = { name, time_zone: timeZone, reporting_currency: currency };
            const { isRepriced } = await tenants.updateProfileByOperator(operator, id, changes);
            const outcomes = isRepriced
              ? await repriceOutcomes(app, { profileId: id }, new AbortController().signal)
              : 0;
            printItem({ id, converted_outcomes: outcomes }, json, 'Changed.');
          }),
        ),
    )
    .addCommand(
      sub('privacy', 'Make a profile more private, or less')
        .argument('<profile>', 'id of the profile')
        .addArgument(new Argument('<mode>').choices(privacyModes))
        .action((profileId: string, mode: PrivacyMode, { json }: Json) =>
          withLedgers(async ({ operator }) => {
            await tenants.setPrivacyByOperator(operator, profileId, mode);
            printItem({ id: profileId, privacyMode: mode }, json, 'Set.');
          }),
        ),
    )
    .addCommand(deleteCommand('profile', 'Delete a profile and everything in it, from every store'));
}
