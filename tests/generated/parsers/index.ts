import { endpointTargets } from './endpoints.ts';
import { fileTargets } from './files.ts';
import { providerResponseTargets } from './provider-responses.ts';
import type { ParserTarget } from './target.ts';
import { webhookTargets } from './webhooks.ts';
import type { ParserWorld } from './world.ts';

/** All parsers of untrusted input that no route schema describes. */
export const parserTargets = async (world: ParserWorld): Promise<ParserTarget[]> => [
  ...webhookTargets(world),
  ...(await providerResponseTargets(world)),
  ...endpointTargets(world),
  ...fileTargets(),
];
