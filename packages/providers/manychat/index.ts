import { z } from 'zod';
import type { Call, Provider, ProviderAnswer } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { readJson } from '../read-answer.ts';
import { baseOf, requestJson, verdictOf } from '../request-json.ts';

export interface ManychatSettings {
  /** https://api.manychat.com */
  readonly apiUrl: string;
}

const ManychatCredentials = z.object({ apiKey: z.string() });
export type ManychatCredentials = z.infer<typeof ManychatCredentials>;

const PageInfo = z.object({
  status: z.literal('success'),
  data: z.object({ id: z.union([z.number(), z.string()]).transform(String), name: z.string().nullish() }),
});

export function createManychat(settings: ManychatSettings): Provider<ManychatCredentials, null> {
  const readPage = async (apiKey: string, call: Call) => {
    const url = `${baseOf(settings.apiUrl)}/fb/page/getInfo`;
    const headers = { authorization: `Bearer ${apiKey}`, accept: 'application/json' };
    return (await requestJson({ method: 'GET', url, headers }, PageInfo, call, faultOf)).body.data;
  };
  return {
    facts: { channel: 'chatbot', name: 'ManyChat' },
    credentials: ManychatCredentials,
    link: {
      async finish(apiKey, call) {
        const { id, name } = await readPage(apiKey, call);
        return [{ externalId: id, name: name ?? id, granted: [], details: {}, credentials: { apiKey } }];
      },
    },
    /** ManyChat offers no data to read: a sync only checks that the key still works. */
    async *sync({ credentials }, _from, call) {
      await readPage(credentials.apiKey, call);
      yield { records: [], position: null };
    },
  };
}

const Refusal = z.object({ message: z.string().optional().catch(undefined) });

function faultOf({ status, text }: ProviderAnswer): ProviderFault {
  const { message } = Refusal.safeParse(readJson(text)).data ?? {};
  return new ProviderFault({ verdict: verdictOf(status), code: `http_${status}`, says: message ?? `HTTP ${status}` });
}
