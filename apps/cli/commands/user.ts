import { Role } from '@tributary/contract';
import {
  addMember,
  createPasswords,
  createUser,
  listUsers,
  resetPassword,
} from '@tributary/domain/tenancy/accounts/module.ts';
import { Command, Option } from 'commander';
import { type Ledgers, withLedgers } from '../ledgers.ts';
import { printItem, printRows } from '../output.ts';

type Json = { json?: boolean };
const sub = (name: string, description: string) =>
  new Command(name).description(description).option('--json', 'machine-readable output');
const tools = ({ operator, settings }: Ledgers) => ({
  operator,
  passwords: createPasswords(settings.passwordMinLength),
});

/** Console users. There is no self-registration: users are created here or invited by a link. */
export const userCommand = () =>
  new Command('user')
    .addCommand(
      sub('create', 'Create a person; the password is shown once')
        .argument('<email>')
        .argument('<name>')
        .option('--workspace <id>', 'make them a member of it')
        .addOption(new Option('--role <role>', 'with --workspace').choices(Role.options).default('owner'))
        .action((email: string, name: string, { workspace, role, json }: { workspace?: string; role: Role } & Json) =>
          withLedgers(async (ledgers) => {
            const made = await createUser(tools(ledgers), { email, name });
            if (workspace) await addMember(tools(ledgers), { workspaceId: workspace, email, role });
            printItem(
              { ...made, ...(workspace && { workspace, role }) },
              json,
              'Created. The password is not shown again.',
            );
          }),
        ),
    )
    .addCommand(
      sub('list', 'List people').action(({ json }: Json) =>
        withLedgers(async (ledgers) =>
          printRows(
            (await listUsers(tools(ledgers))).map((user) => ({ ...user })),
            json,
            'There is nobody yet.',
          ),
        ),
      ),
    )
    .addCommand(
      sub('reset', 'Give somebody a new password; their sessions end')
        .argument('<email>')
        .option('--second-factor', 'also take their second factor away, for somebody who lost it')
        .action((email: string, { secondFactor, json }: { secondFactor?: boolean } & Json) =>
          withLedgers(async (ledgers) => {
            const reset = await resetPassword(tools(ledgers), email, { withSecondFactor: secondFactor });
            printItem({ ...reset }, json, 'The password is new and not shown again.');
          }),
        ),
    );
