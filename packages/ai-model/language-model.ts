import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Outbound } from '@tributary/outbound';
import { generateText } from 'ai';

export interface LanguageModel {
  /** As it is called at its endpoint. */
  readonly name: string;
  write(request: WriteRequest): Promise<string>;
}

export interface WriteRequest {
  readonly instructions: string;
  /** What the instructions are about. It is data, and sent apart from them. */
  readonly material: string;
  /** Looked at with the material, by a model that can see. */
  readonly picture?: Picture | undefined;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}

export interface Picture {
  readonly bytes: Uint8Array;
  /** As image/jpeg. */
  readonly mediaType: string;
}

export interface LanguageModelOptions {
  /** Up to the version, like https://models.example.com/v1. */
  readonly baseUrl: string;
  readonly name: string;
  readonly apiKey?: string | undefined;
  readonly outbound: Outbound;
}

export function createLanguageModel({ baseUrl, name, apiKey, outbound }: LanguageModelOptions): LanguageModel {
  const provider = createOpenAICompatible({
    name: 'configured',
    baseURL: baseUrl,
    ...(apiKey && { apiKey }),
    fetch: guarded(outbound),
  });
  return {
    name,
    async write({ instructions, material, picture, maxTokens, signal }) {
      const { text } = await generateText({
        model: provider.chatModel(name),
        system: instructions,
        ...(picture ? { messages: [shown(material, picture)] } : { prompt: material }),
        maxOutputTokens: maxTokens,
        // Whoever asked is waiting, and can ask again.
        maxRetries: 0,
        abortSignal: signal,
      });
      return text;
    },
  };
}

/** The picture travels inside the request: an address would be fetched by the library, past our guard. */
const shown = (material: string, { bytes, mediaType }: Picture) => ({
  role: 'user' as const,
  content: [
    { type: 'text' as const, text: material },
    { type: 'file' as const, data: bytes, mediaType },
  ],
});

/** The library's requests over our own guard. */
function guarded(outbound: Outbound): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const headers = Object.fromEntries([...request.headers].filter(([name]) => name !== 'content-length'));
    const answer = await outbound.request(request.url, {
      method: request.method as 'GET' | 'POST',
      // The guard hands on the bytes as they come.
      headers: { ...headers, 'accept-encoding': 'identity' },
      body: new Uint8Array(await request.arrayBuffer()),
      signal: request.signal,
    });
    if (answer.truncated) throw new Error('The model answered more than is read.');
    const contentType = answer.headers['content-type'];
    return new Response(Buffer.from(answer.body), {
      status: answer.status,
      headers: { 'content-type': typeof contentType === 'string' ? contentType : 'application/json' },
    });
  };
}
