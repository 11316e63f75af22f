/** A random mutation without an effect that a user, an operator or another process could notice, with the reason. */
export interface Equivalent {
  readonly file: string;
  readonly function: string;
  readonly mutator: string;
  /** The changed lines as the tool prints them, without the signs and the indentation. */
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

const period = (bounds: string) => `WHERE profile_id = {profile_id:UUID}${bounds}`;
const from = "AND conversion_time >= {from:DateTime64(3, 'UTC')}";
const until = "AND conversion_time < {until:DateTime64(3, 'UTC')}";

export const equivalents: readonly Equivalent[] = [
  ...[` ${from}`, ` ${until}`, ` ${from.replace('>=', '>')} ${until}`, ` ${from} ${until.replace('<', '<=')}`].map(
    (bounds) => ({
      file: 'packages/clickhouse/queries/conversion_list_compared.sql',
      function: 'conversion_list_compared',
      mutator: 'sql',
      from: period(` ${from} ${until}`),
      to: period(bounds),
      reason: 'A bucket names its day. The bounds, hours wider than the days of the buckets, only limit what is read.',
    }),
  ),
  {
    file: 'apps/collector/visit-log.ts',
    function: 'send',
    mutator: 'argument',
    from: "const id = batch.length === 1 ? first.id : hash('sha256', batch.map((parcel) => parcel.id).join(), 'base64url');",
    to: "const id = batch.length === 1 ? first.id : hash('sha256', batch.map((parcel) => parcel.id).join());",
    reason: 'The id only has to be the same for the same batch and different for another one, in whatever encoding.',
  },
];
