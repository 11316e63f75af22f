import { links } from '@tributary/contract';
import { Supervisor } from '@tributary/engines';
import { Command } from 'commander';
import { prepareLocal, runLocal } from '../run-local.ts';
import { offerFirstAccount } from './first-account.ts';

export const upCommand = () =>
  new Command('up')
    .option('--install', 'fetch engines that are missing first')
    .action(async (options: { install?: boolean }) => {
      const local = await prepareLocal(new Supervisor(), options);
      const { baseUrl, collectorUrl } = local.settings;
      const firstAccount = await offerFirstAccount(local.settings);
      await runLocal(
        local,
        `
Tributary runs.
  ${baseUrl}            the console
  ${links.docs(baseUrl)}       guides, and the reference of the API
  ${links.readiness(baseUrl)}     what answers and what does not
  ${collectorUrl}            where browsers send visits
${firstAccount ? `\n${firstAccount}` : ''}
Ctrl-C stops it. The engines stay; "npm run engines -- stop" ends them.`,
      );
    });
