import { type ClickHouse, createClickHouse } from './client.ts';
import type { ClickHouseSettings } from './settings.ts';

/** Opens a client for each node, for work that has to run on all of them. The caller closes them. */
export function connectEveryNode(settings: ClickHouseSettings): ClickHouse[] {
  const urls = settings.cluster ? settings.cluster.nodes : [settings.url];
  if (urls.length === 0)
    throw new Error(`The cluster "${settings.cluster?.name}" needs the address of each of its nodes.`);
  return urls.map((url) => createClickHouse({ ...settings, url }));
}
