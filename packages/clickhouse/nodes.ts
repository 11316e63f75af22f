import { type ClickHouse, createClickHouse } from './client.ts';
import type { ClickHouseSettings } from './settings.ts';

/** A client for each node, for what has to happen on all of them. Whoever opens them closes them. */
export function connectEveryNode(settings: ClickHouseSettings): ClickHouse[] {
  const urls = settings.cluster ? settings.cluster.nodes : [settings.url];
  if (urls.length === 0)
    throw new Error(`The cluster "${settings.cluster?.name}" needs the address of each of its nodes.`);
  return urls.map((url) => createClickHouse({ ...settings, url }));
}
