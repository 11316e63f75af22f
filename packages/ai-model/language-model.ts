import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Outbound } from '@tributary/outbound';
import { generateText } from 'ai';

export interface LanguageModel {
  /** The model's name at its endpoint. */
  readonly name: string;
  write(request: WriteRequest): Promise<string>;
}

export interface WriteRequest {
  readonly instructions: string;
  /** The subject of the instructions, sent apart from them as data. */
  readonly material: string;
  /** An image for a model with vision, sent with the material. */
  readonly picture?: Picture | undefined;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}

export interface Picture {
  readonly bytes: Uint8Array;
  /** Such as image/jpeg. */
  readonly mediaType: string;
}

export interface LanguageModelOptions {
  /** The URL up to the version, such as https://models.example.com/v1. */
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
    fetch: fetchThrough(outbound),
  });
  return {
    name,
    async write({ instructions, material, picture, maxTokens, signal }) {
      const { text } = await generateText({
        model: provider.chatModel(name),
        system: instructions,
        ...(picture ? { messages: [pictureMessage(material, picture)] } : { prompt: material }),
        maxOutputTokens: maxTokens,
        // The user is waiting and can retry.
        maxRetries: 0,
        abortSignal: signal,
      });
      return text;
    },
  };
}

/** The picture is embedded in the request: the library would fetch a URL itself, bypassing our outbound client. */
const pictureMessage = (material: string, { bytes, mediaType }: Picture) => ({
  role: 'user' as const,
  content: [
    { type: 'text' as const, text: material },
    { type: 'file' as const, data: bytes, mediaType },
  ],
});

/** A fetch for the library that goes through our outbound client. */
function fetchThrough(outbound: Outbound): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const headers = Object.fromEntries([...request.headers].filter(([name]) => name !== 'content-length'));
    const response = await outbound.request(request.url, {
      method: request.method as 'GET' | 'POST',
      // The outbound client returns the bytes undecoded.
      headers: { ...headers, 'accept-encoding': 'identity' },
      body: new Uint8Array(await request.arrayBuffer()),
      signal: request.signal,
    });
    if (response.truncated) throw new Error('The model answered more than is read.');
    const contentType = response.headers['content-type'];
    return new Response(Buffer.from(response.body), {
      status: response.status,
      headers: { 'content-type': typeof contentType === 'string' ? contentType : 'application/json' },
    });
  };
}
