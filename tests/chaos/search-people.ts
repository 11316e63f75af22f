import { createPostgres, type Postgres } from '@tributary/postgres';
import { sql } from 'kysely';

/** A generated person. TypeScript and SQL derive the same person from a number, so a drill can search for one without reading any. */
export interface Person {
  readonly first: string;
  readonly last: string;
  readonly mother: string;
  readonly email: string;
  readonly phone: string;
}

const firstNames =
  'maria jose ana juan luis carlos francisca camila sofia martina javiera diego pedro pablo andres felipe cristian daniela carolina valentina constanza fernanda ignacia antonia catalina jorge manuel ricardo rodrigo sebastian nicolas matias benjamin vicente tomas joaquin agustin lucas gabriel marcela paulina lorena claudia ximena soledad rosa elena isabel teresa beatriz victor hugo oscar raul sergio mario mariana macarena magdalena maximiliano'.split(
    ' ',
  );
const surnames =
  'gonzalez munoz rojas diaz perez soto contreras silva martinez sepulveda morales rodriguez lopez fuentes hernandez torres araya flores espinoza valenzuela castillo ramirez reyes gutierrez castro vargas alvarez vasquez tapia fernandez sanchez carrasco gomez cortes herrera nunez jara vergara rivera figueroa riquelme garcia miranda bravo vera molina vega campos sandoval orellana zuniga olivares alarcon gallardo ortiz garrido salazar guzman henriquez saavedra navarro aguilera parra romero aravena pizarro godoy leiva escobar caceres'.split(
    ' ',
  );

/** Picks the first names of a list most often, as real names are distributed: it squares an even share. */
const pick = (names: readonly string[], number: number, prime: number): string => {
  const share = ((number * prime) % 10_007) / 10_007;
  return names[Math.floor(share * share * names.length)] as string;
};

export function personAt(number: number): Person {
  const [first, last, mother] = [pick(firstNames, number, 7), pick(surnames, number, 31), pick(surnames, number, 101)];
  return {
    first,
    last,
    mother,
    email: `${first}.${last}${number}@example.cl`,
    phone: `+569${20_000_000 + number}`,
  };
}

const batch = 100_000;

/**
 * Fills profiles with many customers. Most rows are search terms, which are written in bulk with their trigger disabled and without their
 * primary key: maintaining the key row by row would take longer than everything else.
 */
export async function fill(
  ownerUrl: string,
  app: Postgres,
  profiles: readonly { readonly id: string; readonly people: number }[],
  loaded: (more: number) => void,
): Promise<void> {
  const owner = createPostgres({ url: ownerUrl, poolSize: 1, statementTimeoutMs: 1_800_000 });
  const asOwner = (statement: string) => owner.unbound.query(sql.raw(statement));
  try {
    await asOwner('ALTER TABLE customers DISABLE TRIGGER USER');
    await asOwner('ALTER TABLE search_terms DROP CONSTRAINT search_terms_pkey');
    await asOwner('ALTER TABLE search_terms DROP CONSTRAINT search_terms_profile_id_fkey');
    for (const { id, people } of profiles) {
      for (let from = 0; from < people; from += batch) {
        const to = Math.min(from + batch, people);
        await app.forProfile(id).transaction(async (tx) => {
          for (const statement of inserts(id, from, to)) await statement.execute(tx);
        });
        loaded(to - from);
      }
    }
    await asOwner("SET maintenance_work_mem = '1GB'");
    await asOwner('ALTER TABLE search_terms ADD PRIMARY KEY (profile_id, term, customer_id)');
    await asOwner(
      'ALTER TABLE search_terms ADD FOREIGN KEY (profile_id) REFERENCES profiles ON DELETE CASCADE NOT VALID',
    );
    await asOwner('ALTER TABLE customers ENABLE TRIGGER USER');
    // In production, autovacuum would have run before the first search.
    for (const table of ['customers', 'identifiers', 'search_terms']) await asOwner(`VACUUM (ANALYZE) ${table}`);
  } finally {
    await owner.close();
  }
}

function inserts(profileId: string, from: number, to: number) {
  const picked = (names: readonly string[], prime: number) =>
    sql`(${sql.lit(`{${names.join()}}`)}::text[])[1 + floor(power(((n * ${sql.lit(prime)}) % 10007)::float8 / 10007, 2) * ${sql.lit(names.length)})::int]`;
  return [
    sql`
      CREATE TEMPORARY TABLE made ON COMMIT DROP AS
      SELECT gen_random_uuid() AS id, first, last, mother, first || '.' || last || n || '@example.cl' AS email,
        '+569' || 20000000 + n AS phone, timestamptz '2026-01-01' + n % 86400 * interval '1 minute' AS seen,
        ARRAY(SELECT DISTINCT unnest(ARRAY[
          first || ' ' || last || ' ' || mother, last || ' ' || mother || ' ' || first, last || ' ' || first,
          first, last, mother, first || ' ' || last || n || ' example cl', last || n, '569' || 20000000 + n, '9' || 20000000 + n
        ])) AS terms
      FROM (SELECT n, ${picked(firstNames, 7)} AS first, ${picked(surnames, 31)} AS last, ${picked(surnames, 101)} AS mother
        FROM generate_series(${from}::bigint, ${to}::bigint - 1) AS n) AS numbers`,
    sql`
      INSERT INTO customers (profile_id, id, first_name, last_name, primary_email, primary_phone, sources, terms,
        first_seen_at, last_seen_at, created_at)
      SELECT ${profileId}, id, initcap(first), initcap(last) || ' ' || initcap(mother), email, phone, '{import}', terms,
        seen, seen, seen FROM made`,
    sql`
      INSERT INTO identifiers (profile_id, kind, value, customer_id, source, said_at)
      SELECT ${profileId}, kind, value, id, 'import', seen
      FROM made, LATERAL (VALUES ('email', email), ('phone', phone)) AS i (kind, value)`,
    sql`INSERT INTO search_terms SELECT ${profileId}, unnest(terms), id FROM made`,
  ];
}
