import { type Dispatcher, request } from 'undici';
import type { Answer, Asked } from './api.ts';

/** An API that is another process, for drills; a shop of it is opened like any other. */
export function httpApi(baseUrl: string, dispatcher: Dispatcher): { call(asked: Asked): Promise<Answer> } {
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
