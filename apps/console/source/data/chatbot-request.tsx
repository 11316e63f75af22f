import { useQuery } from '@tanstack/react-query';
import { t } from '../messages/index.ts';
import { Copy } from '../parts/copy.tsx';
import { QueryResult } from '../parts/states.tsx';
import { chatbotQuery } from './queries.ts';

/** The External Request that the merchant adds to a chatbot flow, which records each conversation when it starts. */
export function ChatbotRequest({ profileId }: { readonly profileId: string }) {
  const chatbot = useQuery(chatbotQuery(profileId));
  return (
    <QueryResult query={chatbot} lines={3}>
      {(found) =>
        found && (
          <div className="grid gap-2">
            <p>{t.connect.requestAbout}</p>
            <Snippet
              title={t.connect.requestUrl}
              text={`${found.external_request.method} ${found.external_request.url}`}
            />
            <Snippet
              title={t.connect.requestHeaders}
              text={Object.entries(found.external_request.headers)
                .map(([name, value]) => `${name}: ${value}`)
                .join('\n')}
            />
            <Snippet title={t.connect.requestBody} text={found.external_request.body} />
          </div>
        )
      }
    </QueryResult>
  );
}

function Snippet({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div>
      <p className="label flex items-center justify-between gap-2">
        {title} <Copy text={text} about={title} />
      </p>
      <pre className="mt-1 whitespace-pre-wrap break-all rounded bg-tint p-3 text-small">{text}</pre>
    </div>
  );
}
