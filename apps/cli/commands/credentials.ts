import type { Scope } from '@tributary/contract';
import * as credentials from '@tributary/domain/tenancy/credentials/module.ts';
import { type AppRateTier, scopes as allScopes, appRateTiers, limits } from '@tributary/vocabulary';
import { Command, Option } from 'commander';
import { withLedgers } from '../ledgers.ts';
import { printItem, printRows } from '../output.ts';

type Json = { json?: boolean };
const listLimit = 1_000;
const tiers = limits.ratePerMinute.app;
const commaList = (text: string) => text.split(',').map((part) => part.trim());
const sub = (name: string, description: string) =>
  new Command(name).description(description).option('--json', 'machine-readable output');

interface AppChanges {
  readonly name?: string;
  readonly redirectUris?: string[];
  readonly returnOrigins?: string[];
  readonly tier?: AppRateTier;
}

export function appCommand(): Command {
  return new Command('app')
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
            withLedgers(async ({ operator }) => {
              const registration = {
                name,
                redirectUris: options.redirectUris,
                allowedReturnOrigins: options.returnOrigins,
                rateTier: options.tier,
              };
              const { clientId, clientSecret } = await credentials.registerApp(operator, registration);
              printItem(
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
          printRows(
            await operator.ledger.transaction((tx) => credentials.listApps(tx, listLimit)),
            json,
            'There are no apps yet.',
          ),
        ),
      ),
    )
    .addCommand(
      sub('update', 'Change an app: what is not named stays, and an empty list empties')
        .argument('<client-id>')
        .option('--name <name>')
        .option('--redirect-uris <list>', 'separated by commas', commaList)
        .option(
          '--return-origins <list>',
          'further origins that hand-offs may return to; with a minus before it, one that they may not',
          commaList,
        )
        .addOption(new Option('--tier <tier>').choices(appRateTiers))
        .action((clientId: string, { json, returnOrigins, tier, ...named }: AppChanges & Json) =>
          withLedgers(async ({ operator }) => {
            const changes = {
              ...named,
              ...(returnOrigins && { allowedReturnOrigins: returnOrigins }),
              ...(tier && { rateTier: tier }),
            };
            await credentials.updateApp(operator, clientId, changes);
            printItem({ client_id: clientId }, json, 'Changed.');
          }),
        ),
    )
    .addCommand(
      sub('reset', 'Give an app a new secret; the old one stops working at once')
        .argument('<client-id>')
        .action((clientId: string, { json }: Json) =>
          withLedgers(async ({ operator }) => {
            const clientSecret = await credentials.resetAppSecret(operator, clientId);
            printItem(
              { client_id: clientId, client_secret: clientSecret },
              json,
              'The secret is new and not shown again.',
            );
          }),
        ),
    )
    .addCommand(
      sub('revoke', 'Disable an app: its tokens and keys stop working at once')
        .argument('<client-id>')
        .action((clientId: string, { json }: Json) =>
          withLedgers(async ({ operator }) => {
            await credentials.disableApp(operator, clientId);
            printItem({ client_id: clientId }, json, 'Disabled.');
          }),
        ),
    );
}

export function keyCommand(): Command {
  return new Command('key')
    .addCommand(
      sub('create', 'Mint a key; it is shown once')
        .argument('<profile>', 'id of the profile')
        .option('--name <name>', 'what it is for', 'API key')
        .option(
          '--scopes <list>',
          `separated by commas; default: all that a profile has (${Object.keys(allScopes).length - 2})`,
          commaList,
        )
        .option(
          '--rate <requests>',
          `requests a minute on every route; default: ${limits.ratePerMinute.apiKey.default}, and ${limits.ratePerMinute.ingest} where data is taken in`,
          Number,
        )
        .action(
          (profileId: string, { name, scopes, rate, json }: { name: string; scopes?: Scope[]; rate?: number } & Json) =>
            withLedgers(async ({ operator }) => {
              const wanted = { name, scopes, rate_limit_per_minute: rate };
              const key = await credentials.createKeyByOperator(operator, profileId, wanted);
              printItem(key, json, 'Minted. It is not shown again.');
            }),
        ),
    )
    .addCommand(
      sub('list', 'List the keys of a profile')
        .argument('<profile>')
        .action((profileId: string, { json }: Json) =>
          withLedgers(async ({ app }) =>
            printRows(
              await app
                .forProfile(profileId)
                .transaction((tx) => credentials.listKeysOfProfile(tx, profileId, listLimit)),
              json,
              'The profile has no keys.',
            ),
          ),
        ),
    )
    .addCommand(
      sub('revoke', 'Revoke a key at once')
        .argument('<profile>')
        .argument('<key>', 'id of the key')
        .action((profileId: string, keyId: string, { json }: Json) =>
          withLedgers(async ({ operator }) => {
            await credentials.revokeKeyByOperator(operator, profileId, keyId);
            printItem({ id: keyId }, json, 'Revoked.');
          }),
        ),
    );
}
