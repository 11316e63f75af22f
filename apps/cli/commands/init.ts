import { addMember, createPasswords, createUser } from '@tributary/domain/tenancy/accounts/module.ts';
import { createKeyByOperator } from '@tributary/domain/tenancy/credentials/module.ts';
import { createProfileByOperator, createWorkspaceByOperator } from '@tributary/domain/tenancy/tenants/module.ts';
import { installByOperator } from '@tributary/domain/traffic/tracking/module.ts';
import { Command } from 'commander';
import { type Ledgers, withLedgers } from '../ledgers.ts';

interface InitOptions {
  readonly email: string;
  readonly name: string;
  readonly currency: string;
  readonly timeZone: string;
  readonly json?: boolean;
}

/** Creates everything a business needs to start, and prints what to paste where. */
export const initCommand = () =>
  new Command('init')
    .argument('<business>', 'what the business is called')
    .requiredOption('--email <address>', 'who signs in to the console')
    .option('--name <name>', 'their name', 'Owner')
    .option('--currency <code>', 'reporting currency', 'USD')
    .option('--time-zone <zone>', 'IANA name, like America/Santiago', 'UTC')
    .option('--json', 'machine-readable output')
    .action((business: string, options: InitOptions) =>
      withLedgers(async (ledgers) => {
        const made = await begin(ledgers, business, options);
        console.log(options.json ? JSON.stringify(made, null, 2) : inWords(made));
      }),
    );

async function begin({ operator, settings }: Ledgers, business: string, options: InitOptions) {
  const { email, name, currency, timeZone } = options;
  const passwords = createPasswords(settings.passwordMinLength);
  // Fails first if the e-mail address is taken, before anything else is created.
  const user = await createUser({ operator, passwords }, { email, name });
  const workspaceId = await createWorkspaceByOperator(operator, {
    name: business,
    plan: 'scale',
    is_healthcare_agency: false,
  });
  await addMember({ operator }, { workspaceId, email, role: 'owner' });
  const profileId = await createProfileByOperator(operator, {
    workspace_id: workspaceId,
    name: business,
    privacy_mode: 'standard',
    time_zone: timeZone,
    reporting_currency: currency,
  });
  const key = await createKeyByOperator(operator, profileId, { name: 'First key' });
  return {
    workspace_id: workspaceId,
    profile_id: profileId,
    email,
    password: user.password,
    api_key: key.key,
    snippet: await installByOperator(operator, profileId, settings.collectorUrl),
    api_url: settings.baseUrl,
    currency,
  };
}

const inWords = (made: Awaited<ReturnType<typeof begin>>): string => `Made. Password and key are not shown again.

Sign in at ${made.api_url}
  e-mail    ${made.email}
  password  ${made.password}

Put this into every page of the site, before </head>:

${made.snippet}
Send what customers pay, from your server:

curl ${made.api_url}/api/v1/events -H "Authorization: Bearer ${made.api_key}" -H "Content-Type: application/json" -d '{
  "event_name": "payment_received", "idempotency_key": "order-1001",
  "properties": {"value": "100", "currency": "${made.currency}"},
  "user_traits": {"email": "ana@example.com", "first_name": "Ana"}}'

  workspace ${made.workspace_id}
  profile   ${made.profile_id}`;
