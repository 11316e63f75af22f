import { clickhouseSettings, forgetProfile } from '@tributary/clickhouse';
import { Scope } from '@tributary/contract';
import * as credentials from '@tributary/domain/credentials/room.ts';
import * as tenants from '@tributary/domain/tenants/room.ts';
import { isPlan } from '@tributary/rules';
import {
  type AppRateTier,
  scopes as allScopes,
  appRateTiers,
  limits,
  plans,
  privacyModes,
} from '@tributary/vocabulary';
import { Command, Option } from 'commander';
import { withLedgers } from '../ledgers.ts';
import { show, tell } from '../output.ts';

type Json = { json?: boolean };
const listLimit = 1_000;
const tiers = limits.ratePerMinute.app;
const commaList = (text: string) => text.split(',').map((part) => part.trim());

/** What is deleted cannot come back, so it has to be said twice. */
function deleteCommand(noun: 'workspace' | 'profile', description: string): Command {
  return sub('delete', description)
    .argument(`<${noun}>`, `id of the ${noun}`)
    .requiredOption('--yes', 'really: it cannot be undone')
    .action((id: string, { json }: Json) =>
      withLedgers(async ({ app, operator, settings, now }) => {
        const target = noun === 'profile' ? { profileId: id } : { workspaceId: id };
        const archived = await credentials.archiveByOperator(operator.unbound, target, now);
        if (!archived) throw new Error(`There is no ${noun} ${id}.`);
        const clickhouse = clickhouseSettings(settings);
        await tenants.deleteTenant(app, archived, (profileId) => forgetProfile(clickhouse, profileId));
        tell({ id, deleted: true }, json, 'Deleted from every store.');
      }),
    );
}

/** workspace, profile, app and key: create, list, revoke, reset. */
export const accessCommands = () => [workspaceCommand(), profileCommand(), appCommand(), keyCommand()];

const sub = (name: string, description: string) =>
  new Command(name).description(description).option('--json', 'machine-readable output');

function workspaceCommand(): Command {
  return new Command('workspace')
    .description('Workspaces')
    .addCommand(
      sub('create', 'Create a workspace')
        .argument('<name>')
        .addOption(new Option('--plan <plan>').choices(Object.keys(plans)).default('scale'))
        .option('--healthcare', 'mark it as a healthcare agency: partner apps never see people in it')
        .action((name: string, { plan, healthcare = false, json }: { plan: string; healthcare?: boolean } & Json) =>
          withLedgers(async ({ app, now }) => {
            const id = await credentials.createWorkspaceByOperator(
              app,
              { name, plan: isPlan(plan) ? plan : 'free', isHealthcareAgency: healthcare },
              now,
            );
            tell({ id, name, plan }, json, 'Created.');
          }),
        ),
    )
    .addCommand(
      sub('list', 'List workspaces').action(({ json }: Json) =>
        withLedgers(async ({ operator }) =>
          show(await credentials.listWorkspaces(operator.unbound, listLimit), json, 'There are no workspaces yet.'),
        ),
      ),
    )
    .addCommand(deleteCommand('workspace', 'Delete a workspace with all of its profiles, from every store'));
}

function profileCommand(): Command {
  return new Command('profile')
    .description('Profiles')
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
            { privacy, timeZone, currency, json }: { privacy: string; timeZone: string; currency: string } & Json,
          ) =>
            withLedgers(async ({ app, now }) => {
              const profile = { workspaceId, name, privacyMode: privacy, timeZone, reportingCurrency: currency };
              tell({ id: await credentials.createProfileByOperator(app, profile, now), ...profile }, json, 'Created.');
            }),
        ),
    )
    .addCommand(
      sub('list', 'List profiles')
        .option('--workspace <id>', 'only those of one workspace')
        .action(({ workspace, json }: { workspace?: string } & Json) =>
          withLedgers(async ({ operator }) =>
            show(
              await credentials.listProfiles(operator.unbound, listLimit, workspace),
              json,
              'There are no profiles yet.',
            ),
          ),
        ),
    )
    .addCommand(deleteCommand('profile', 'Delete a profile and everything in it, from every store'));
}

function appCommand(): Command {
  return new Command('app')
    .description('Partner apps')
    .addCommand(
      sub('create', 'Register an app; its secret is shown once')
        .argument('<name>')
        .option('--redirect-uris <list>', 'separated by commas', commaList, [])
        .option('--return-origins <list>', 'further origins that hand-offs may return to', commaList, [])
        .addOption(
          new Option('--tier <tier>', `requests a minute: ${Object.values(tiers).join(', ')}`)
            .choices(appRateTiers)
            .default('standard'),
        )
        .action(
          (
            name: string,
            options: {
              redirectUris: string[];
              returnOrigins: string[];
              tier: AppRateTier;
            } & Json,
          ) =>
            withLedgers(async ({ operator, now }) => {
              const registration = {
                name,
                redirectUris: options.redirectUris,
                allowedReturnOrigins: options.returnOrigins,
                rateTier: options.tier,
              };
              const { clientId, clientSecret } = await credentials.registerApp(operator.unbound, registration, now);
              tell(
                { client_id: clientId, client_secret: clientSecret },
                options.json,
                'Registered. The secret is not shown again.',
              );
            }),
        ),
    )
    .addCommand(
      sub('list', 'List apps').action(({ json }: Json) =>
        withLedgers(async ({ operator }) =>
          show(await credentials.listApps(operator.unbound, listLimit), json, 'There are no apps yet.'),
        ),
      ),
    )
    .addCommand(
      sub('reset', 'Give an app a new secret; the old one stops working at once')
        .argument('<client-id>')
        .action((clientId: string, { json }: Json) =>
          withLedgers(async ({ operator }) => {
            const clientSecret = await credentials.resetAppSecret(operator.unbound, clientId);
            if (!clientSecret) throw new Error(`There is no app ${clientId}.`);
            tell({ client_id: clientId, client_secret: clientSecret }, json, 'The secret is new and not shown again.');
          }),
        ),
    )
    .addCommand(
      sub('revoke', 'Disable an app: its tokens and keys stop working at once')
        .argument('<client-id>')
        .action((clientId: string, { json }: Json) =>
          withLedgers(async ({ operator, now }) => {
            if (!(await credentials.disableApp(operator.unbound, clientId, now)))
              throw new Error(`There is no live app ${clientId}.`);
            tell({ client_id: clientId }, json, 'Disabled.');
          }),
        ),
    );
}

function keyCommand(): Command {
  return new Command('key')
    .description('API keys of a profile')
    .addCommand(
      sub('create', 'Mint a key; it is shown once')
        .argument('<profile>', 'id of the profile')
        .option('--name <name>', 'what it is for', 'API key')
        .option(
          '--scopes <list>',
          `separated by commas; default: all that a profile has (${Object.keys(allScopes).length - 2})`,
          commaList,
        )
        .option('--rate <requests>', 'requests a minute', Number, limits.ratePerMinute.apiKey.default)
        .action(
          (profileId: string, { name, scopes, rate, json }: { name: string; scopes?: string[]; rate: number } & Json) =>
            withLedgers(async ({ app, now }) => {
              const all = Scope.options.filter((scope) => allScopes[scope].grain !== 'workspace');
              const key = await credentials.createKeyByOperator(
                app,
                { profileId, name, scopes: scopes ?? all, requestsPerMinute: rate },
                now,
              );
              tell(key, json, 'Minted. It is not shown again.');
            }),
        ),
    )
    .addCommand(
      sub('list', 'List the keys of a profile')
        .argument('<profile>')
        .action((profileId: string, { json }: Json) =>
          withLedgers(async ({ app }) =>
            show(await credentials.listKeysOfProfile(app, profileId, listLimit), json, 'The profile has no keys.'),
          ),
        ),
    )
    .addCommand(
      sub('revoke', 'Revoke a key at once')
        .argument('<profile>')
        .argument('<key>', 'id of the key')
        .action((profileId: string, keyId: string, { json }: Json) =>
          withLedgers(async ({ app, now }) => {
            if (!(await credentials.revokeKeyByOperator(app, profileId, keyId, now)))
              throw new Error(`The profile has no live key ${keyId}.`);
            tell({ id: keyId }, json, 'Revoked.');
          }),
        ),
    );
}
