import { useQuery } from '@tanstack/react-query';
import { Copy } from '../parts/copy.tsx';
import { Answered } from '../parts/states.tsx';
import { say } from '../words/index.ts';
import { chatbotQuery } from './queries.ts';

/** What the merchant enters into the External Request of a flow, so that a conversation is recorded when it begins. */
export function ChatbotRequest({ profileId }: { readonly profileId: string }) {
  const chatbot = useQuery(chatbotQuery(profileId));
  return (
    <Answered query={chatbot} lines={3}>
      {(found) =>
        found && (
          <div className="grid gap-2">
            <p>{say.connect.requestAbout}</p>
            <Snippet
              title={say.connect.requestUrl}
              text={`${found.external_request.method} ${found.external_request.url}`}
            />
            <Snippet
              title={say.connect.requestHeaders}
              text={Object.entries(found.external_request.headers)
                .map(([name, value]) => `${name}: ${value}`)
                .join('\n')}
            />
            <Snippet title={say.connect.requestBody} text={found.external_request.body} />
          </div>
        )
      }
    </Answered>
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
