import type { ClickHouseSettings } from './settings.ts';

/** Builds the ClickHouse settings from the settings of the deployment. */
export function clickhouseSettings(from: {
  readonly clickhouseUrl: string;
  readonly clickhouseDatabase: string;
  readonly clickhouseCluster: string | undefined;
  readonly clickhouseNodes: readonly string[];
  readonly clickhouseReplicated: boolean;
}): ClickHouseSettings {
  const { username, password, origin } = new URL(from.clickhouseUrl);
  return {
    url: origin,
    database: from.clickhouseDatabase,
    ...(username && { username: decodeURIComponent(username), password: decodeURIComponent(password) }),
    ...(from.clickhouseCluster && {
      cluster: { name: from.clickhouseCluster, nodes: from.clickhouseNodes, replicated: from.clickhouseReplicated },
    }),
  };
}
