import { answerTargets } from './answers.ts';
import { doorTargets } from './doors.ts';
import { fileTargets } from './files.ts';
import type { ParserTarget } from './target.ts';
import { webhookTargets } from './webhooks.ts';
import type { ParserWorld } from './world.ts';

/** Everything that reads what strangers write and that no declaration of a route describes. */
export const parserTargets = async (world: ParserWorld): Promise<ParserTarget[]> => [
  ...webhookTargets(world),
  ...(await answerTargets(world)),
  ...doorTargets(world),
  ...fileTargets(),
];
