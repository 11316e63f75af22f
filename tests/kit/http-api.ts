import { type Dispatcher, request } from 'undici';
import type { Answer, ApiCall } from './api.ts';

/** An API in another process, for drills; a `scene` is built on it as on one in this process. */
export function httpApi(baseUrl: string, dispatcher: Dispatcher): { call(request: ApiCall): Promise<Answer> } {
  return {
    async call({ method, url, headers, payload }) {
      const answer = await request(`${baseUrl}${url}`, {
        method,
        headers: { ...headers, ...(payload && { 'content-type': 'application/json' }) },
        dispatcher,
        ...(payload && { body: typeof payload === 'string' ? payload : JSON.stringify(payload) }),
      });
      const body = await answer.body.text();
      return { statusCode: answer.statusCode, headers: answer.headers, body, json: () => JSON.parse(body) };
    },
  };
}
